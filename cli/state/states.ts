import type { Command } from "commander";
import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import { type Deployment, readDeployment, type StateResource } from "../../provider/stack/deployment";
import type { Run } from "../../provider/stack/history";
import { type Holder, type StackState, stackState } from "../../provider/stack/keys-in-state";
import { note, plain } from "../terminal";
import { UsageError } from "../usage-error";
import { explainFailure, pulumiIn, readStackName, shownStack } from "./pulumi-stack";
import { readStateFile, refused, shownPath, stateFiles } from "./state-files";

export interface StateFlags {
  readonly stack?: readonly string[];
  readonly state?: readonly string[];
}

export function withStates(command: Command): Command {
  return command
    .option("--stack <name...>", "your stacks, whose states are read with the Pulumi CLI")
    .option("--state <file...>", "states: output of `pulumi stack export`, or checkpoint files; - is standard input");
}

export const hasStates = ({ stack = [], state = [] }: StateFlags): boolean => stack.length + state.length > 0;

/** What is known about the keys in a state, and the state with all its resources. */
export interface ReadState extends StackState {
  readonly deployment: Deployment;
  /** Asks the Pulumi CLI for the last runs of the stack; absent for a state from a file. */
  readonly history?: () => Promise<readonly Run[]>;
}

/** When a state was saved, in milliseconds since 1970; 0 if it does not contain that. */
export const timeOf = ({ savedAt }: Pick<StackState, "savedAt">): number => Date.parse(savedAt ?? "") || 0;

/** @param source - Where the state was read. */
export function stateIn(source: string, deployment: Deployment): ReadState {
  return { ...stackState(source, deployment), deployment };
}

/** Reads the states. Throws a `UsageError` that names an unusable one. */
export async function readStates({ stack = [], state = [] }: StateFlags): Promise<ReadState[]> {
  if (state.filter((file) => file === "-").length > 1) throw new UsageError("--state - can be given only once");
  const names = stack.map((name) => readStackName(name));
  return Promise.all([...names.map(readStack), ...state.map(readFrom)]);
}

/** Reads the states as `readStates` does, also those in folders. */
export async function readStatesBelow({ state = [], ...flags }: StateFlags): Promise<ReadState[]> {
  return readStates({ ...flags, state: (await stateFiles(state)).map(({ path }) => path) });
}

async function readStack(name: string, at: number): Promise<ReadState> {
  const source = shownStack(name, at + 1);
  const pulumi = pulumiIn();
  try {
    return { ...stateIn(source, await pulumi.state(name)), history: () => pulumi.history(name) };
  } catch (error) {
    const { why, remedy } = explainFailure(error);
    throw new UsageError(`--stack: ${source} cannot be read: ${why}. ${remedy}, or pass its state with --state FILE`);
  }
}

async function readFrom(path: string, at: number): Promise<ReadState> {
  const source = path === "-" ? "standard input" : path;
  const name = path === "-" ? source : shownPath(path, `file ${at + 1}`);
  return parseState(source, await readStateFile({ name, path, isNamed: true }));
}

/** The state in the text of a file. Throws a `UsageError` if it is not one. */
export function parseState(source: string, text: Buffer, remedy?: string): ReadState {
  try {
    return stateIn(source, readDeployment(text.toString()));
  } catch (error) {
    throw refused(plain(source), (error as Error).message, remedy);
  }
}

const signs = new WeakMap<StackState, ReadonlySet<string>>();

/** What a state has in common with earlier and later ones of its stack: marks and keys. */
function signsOf(state: StackState): ReadonlySet<string> {
  const { marks, notes, held } = state;
  return getOrCreate(signs, state, () => {
    return new Set([...marks, ...notes.map(({ mark }) => mark), ...held.map(({ id, name }) => `${id} ${name}`)]);
  });
}

/** Whether two states are of one stack. Organizations and backends can have stacks of the same name, with other keys. */
export function isSameStack(one: StackState, other: StackState): boolean {
  return one.stack === other.stack && [...signsOf(one)].some((sign) => signsOf(other).has(sign));
}

/** The newest state of each stack. */
export function latestOf<State extends StackState>(states: readonly State[]): ReadonlySet<State> {
  const isNewer = (one: StackState, at: number, other: StackState, otherAt: number) =>
    (timeOf(one) - timeOf(other) || at - otherAt) > 0 && isSameStack(one, other);
  return new Set(states.filter((state, at) => !states.some((each, eachAt) => isNewer(each, eachAt, state, at))));
}

/** Tells which states do not show all their keys. Returns how messages name them. */
export function noteHidden(states: readonly StackState[]): readonly string[] {
  const hiding = states.filter(({ hidden }) => hidden.length > 0);
  for (const { source, hidden } of hiding) {
    note(`${plain(source)} contains encrypted key ids: no state seems to hold these keys (${plain(hidden[0] ?? "")})`);
  }
  return hiding.map(({ source }) => source);
}

/** Finds who holds a key of a list. The same id with another name is a key of another account. */
export function holdersIn(states: readonly StackState[]) {
  const holders = new Map<string, (Holder & { readonly stack: string })[]>();
  for (const { stack, held } of latestOf(states)) {
    for (const holder of held) getOrCreate(holders, holder.id, () => []).push({ stack, ...holder });
  }
  return (key: ApiKeyRecord) => holders.get(key.id)?.findLast(({ name = key.name }) => name === key.name);
}

/** The resources that use the outputs of each resource, by its URN, except those about to be deleted. */
export function consumersIn({ deployment }: ReadState): ReadonlyMap<string, readonly StateResource[]> {
  const consumers = new Map<string, StateResource[]>();
  for (const resource of deployment.resources) {
    if (resource.replaced) continue;
    for (const source of resource.sources) getOrCreate(consumers, source, () => []).push(resource);
  }
  return consumers;
}
