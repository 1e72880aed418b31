import type { Command } from "commander";
import { ERRORS, type ErrorCode } from "../provider/errors";
import { terminalColumns } from "../provider/terminal-columns";
import { print, printJson, wrapped } from "./terminal";
import { UsageError } from "./usage-error";

/** `keyplane explain`: prints what an error means and what to do about it, as docs/errors.md says it. */
export function addExplain(program: Command): void {
  program
    .command("explain [code]")
    .description("explains an error and what to do; without a code, lists all errors")
    .option("--json", "prints JSON")
    .action((code: string | undefined, { json }: { readonly json?: true }) => {
      if (code === undefined) return json ? printJson(ERRORS) : list();
      const known = code.toUpperCase();
      if (!isCode(known)) throw unknownCode(known);
      if (json) printJson({ code: known, ...ERRORS[known] });
      else explain(known);
    });
}

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

/** Suggests codes that share a word with the text, such as KP-WRONG-ACCOUNT for KP-ACCOUNT. */
function unknownCode(text: string): UsageError {
  const words = text.split("-").filter((word) => word.length > 2);
  const near = Object.keys(ERRORS).filter((code) => words.some((word) => code.includes(word)));
  const hint = near.length === 0 ? "" : `. Did you mean ${near.slice(0, 3).join(" or ")}?`;
  return new UsageError(`no error has this code. Run \`keyplane explain\` to list all codes${hint}`);
}

function explain(code: ErrorCode): void {
  const { kind, when, remedy } = ERRORS[code];
  print({ tone: "strong", text: code }, ` (${kind})`);
  for (const text of [when, `What to do: ${remedy}`]) {
    print("");
    for (const line of wrapped(text, Math.min(terminalColumns(process.stdout), 100))) print(line);
  }
}

function list(): void {
  for (const [code, { when }] of Object.entries(ERRORS)) print(code.padEnd(22), `${when.split(/(?<=\.) /)[0]}`);
}
