import { readFile } from "node:fs/promises";
import { buffer as bytesOfStream } from "node:stream/consumers";
import type { Command } from "commander";
import { type Deployment, readDeployment } from "../../provider/stack/deployment";
import { type Holder, type StackState, stackState } from "../../provider/stack/stack-state";
import { plain } from "../terminal";
import { UsageError } from "../usage-error";
import { explained, pulumiFor, readStackName, type StackName, shownStack } from "./pulumi-stack";
import { unpacked } from "./state-files";

/** The options that select states. */
export interface StateFlags {
  readonly stack?: readonly string[];
  readonly state?: readonly string[];
}

/** Adds `--stack` and `--state`. */
export function withStates(command: Command): Command {
  return command
    .option("--stack <name...>", "your stacks, whose states are read with the Pulumi CLI")
    .option(
      "--state <file...>",
      "states of your stacks: output of `pulumi stack export`, or checkpoint files; - is standard input",
    );
}

/** Whether any state was given. */
export const hasStates = ({ stack = [], state = [] }: StateFlags): boolean => stack.length + state.length > 0;

/** A state as it was read, with its source as given by the user. */
export interface ReadState {
  readonly source: string;
  readonly deployment: Deployment;
}

/** Reads the states. Throws a `UsageError` that names an unusable one. */
export async function readStates(flags: StateFlags): Promise<StackState[]> {
  return (await readDeployments(flags)).map(({ source, deployment }) => stackState(source, deployment));
}

/** Reads the states with all their resources. Throws a `UsageError` that names an unusable one. */
export async function readDeployments({ stack = [], state = [] }: StateFlags): Promise<ReadState[]> {
  if (state.filter((file) => file === "-").length > 1) throw new UsageError("--state - can be given only once");
  const names = stack.map((name) => readStackName(name));
  return Promise.all([...names.map(readStack), ...state.map(readState)]);
}

async function readStack(name: StackName, at: number): Promise<ReadState> {
  const source = shownStack(name, at + 1);
  try {
    return { source, deployment: await pulumiFor(name).state(name.stack) };
  } catch (error) {
    const { why, remedy } = explained(error);
    throw new UsageError(`--stack: ${source} cannot be read: ${why}. ${remedy}, or pass its state with --state FILE`);
  }
}

async function readState(file: string, at: number): Promise<ReadState> {
  const source = file === "-" ? "standard input" : file;
  // An argument that is not a file could be a misplaced secret, so the message contains its position instead.
  const shown = /\.json(\.gz)?$/.test(file) || file === "-" ? plain(source) : `file ${at + 1}`;
  const bytes = await (file === "-" ? bytesOfStream(process.stdin) : readFile(file)).catch((error) => {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(shown, code === "ENOENT" ? "does not exist" : `cannot be read (${code})`);
  });
  const text = await unpacked(bytes).catch(() => {
    throw refused(plain(source), "cannot be unpacked");
  });
  try {
    return { source, deployment: readDeployment(text.toString("utf8")) };
  } catch (error) {
    throw refused(plain(source), (error as Error).message);
  }
}

function refused(what: string, why: string): UsageError {
  return new UsageError(
    `--state: ${what} ${why}. Create one with \`pulumi stack export --file state.json\`, or pass --stack NAME`,
  );
}

/** All keys that the states hold, with their stacks and holders. */
export function heldBy(states: readonly StackState[]): ReadonlyMap<string, Holder & { readonly stack: string }> {
  return new Map(
    states.flatMap(({ stack, held }) => Array.from(held, ([id, holder]) => [id, { stack, ...holder }] as const)),
  );
}
