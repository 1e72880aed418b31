import { readFile } from "node:fs/promises";
import { text as textOfStream } from "node:stream/consumers";
import type { Command } from "commander";
import { readDeployment } from "../../provider/stack/deployment";
import { type Holder, type StackState, stackState } from "../../provider/stack/stack-state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";

/** Adds `--state`. */
export function withStates(command: Command): Command {
  return command.option(
    "--state <file...>",
    "states of your stacks: output of `pulumi stack export`, or checkpoint files; - is standard input",
  );
}

/** Reads the states. Throws a `UsageError` that names an unusable one. */
export async function readStates(files: readonly string[]): Promise<StackState[]> {
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("--state - can be given only once");
  return Promise.all(files.map(readState));
}

async function readState(file: string, at: number): Promise<StackState> {
  const source = file === "-" ? "standard input" : file;
  const text = await (file === "-" ? textOfStream(process.stdin) : readFile(file, "utf8")).catch((error) => {
    // An argument that is not a file could be a misplaced secret, so the message contains its position instead.
    const { code } = error as NodeJS.ErrnoException;
    throw refused(
      /\.json$/.test(file) ? plain(source) : `file ${at + 1}`,
      code === "ENOENT" ? "does not exist" : `cannot be read (${code})`,
    );
  });
  try {
    return stackState(source, readDeployment(text));
  } catch (error) {
    throw refused(plain(source), (error as Error).message);
  }
}

function refused(what: string, why: string): UsageError {
  return new UsageError(`--state: ${what} ${why}. Create one with \`pulumi stack export --file state.json\``);
}

/** All keys that the states hold, with their stacks and holders. */
export function heldBy(states: readonly StackState[]): ReadonlyMap<string, Holder & { readonly stack: string }> {
  return new Map(
    states.flatMap(({ stack, held }) => Array.from(held, ([id, holder]) => [id, { stack, ...holder }] as const)),
  );
}
