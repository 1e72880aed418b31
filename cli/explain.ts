import type { Command } from "commander";
import { ERRORS, type ErrorCode } from "../provider/errors";
import { didYouMean } from "../provider/nearest";
import { print, printJson } from "./output";
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
      if (!isCode(known)) {
        const hint = didYouMean(known, Object.keys(ERRORS));
        throw new UsageError(`no error has this code. Run \`keyplane explain\` to list all codes${hint}`);
      }
      if (json) printJson({ code: known, ...ERRORS[known] });
      else explain(known);
    });
}

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERRORS, text);

function explain(code: ErrorCode): void {
  const { kind, when, remedy } = ERRORS[code];
  print({ tone: "strong", text: code }, ` (${kind})`);
  for (const text of [when, `What to do: ${remedy}`]) print(`\n${text}`);
}

function list(): void {
  for (const [code, { when }] of Object.entries(ERRORS)) print(code.padEnd(22), `${when.split(/(?<=\.) /)[0]}`);
}
