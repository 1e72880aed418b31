import type { Command } from "commander";
import { getOrCreate } from "../../provider/get-or-create";
import { textOf } from "../../provider/members";
import { type Deployment, readDeployment } from "../../provider/stack/deployment";
import type { Run } from "../../provider/stack/history";
import { attemptsIn, hidesKeys, isKeyplanes, pendingCreationsIn, suffixOf } from "../../provider/stack/keys-in-state";
import { isKeyType } from "../../provider/type-tokens";
import { plain, printInfo } from "../output";
import { UsageError } from "../usage-error";
import { explainFailure, pulumiIn, readStackName, shownStack } from "./pulumi-stack";
import { readStateFile, refused, shownPath, stateFiles } from "./state-files";
import { concealSecrets, type StateKey, scopeIn, stateKeys } from "./state-keys";

export interface StateFlags {
  readonly stack?: readonly string[];
  readonly state?: readonly string[];
}

export function withStates(command: Command): Command {
  return command
    .option("--stack <name...>", "your stacks, whose states are read with the Pulumi CLI")
    .option("--state <path...>", "states: output of `pulumi stack export`, or the folder of a file backend");
}

export const hasStates = ({ stack = [], state = [] }: StateFlags): boolean => stack.length + state.length > 0;

/** What a state says about keys. */
export interface ReadState {
  /** Where it was read. */
  readonly source: string;
  /** `project/stack`. Empty if the state is empty. */
  readonly stack: string;
  /** ISO 8601 time of the state, if it contains it. */
  readonly savedAt: string | undefined;
  readonly keys: readonly StateKey[];
  /** URNs of resources that may hold a key's id, but it is encrypted. */
  readonly hidden: readonly string[];
  /** Creations under way, or of interrupted runs. */
  readonly pendingCreations: readonly (Pick<StateKey, "urn" | "scope"> & {
    readonly suffix: string;
    /** The name that it requests instead of a generated one. */
    readonly exactName: string | undefined;
  })[];
  /** How many operations had begun and not ended, also in runs that were killed. */
  readonly underWay: number;
  /** The resources that have keys, with how many names each has requested. */
  readonly owners: readonly {
    readonly urn: string;
    readonly suffix: string | undefined;
    readonly attempts: number;
  }[];
  /** Asks the Pulumi CLI for the last runs of the stack; absent for a state from a file. */
  readonly history?: () => Promise<readonly Run[]>;
}

/** What a deployment says about keys. Ids of keys and suffixes are not secret, so nothing is decrypted. */
export function stateIn(source: string, deployment: Deployment): ReadState {
  concealSecrets(deployment);
  const { resources, pending, savedAt } = deployment;
  const first = resources[0] ?? pending[0]?.resource;
  return {
    source,
    stack: stackOf(first?.urn ?? ""),
    savedAt,
    keys: stateKeys(deployment),
    hidden: resources.filter((resource) => isKeyplanes(resource) && hidesKeys(resource)).map(({ urn }) => urn),
    pendingCreations: pendingCreationsIn(deployment).map(({ suffix, resource }) => {
      return { urn: resource.urn, suffix, exactName: textOf(resource.inputs.name), scope: scopeIn(resource) };
    }),
    underWay: pending.length,
    owners: resources
      .filter(({ type }) => isKeyType(type))
      .map((resource) => {
        return { urn: resource.urn, suffix: suffixOf(resource), attempts: attemptsIn(resource.outputs) };
      }),
  };
}

/** `project/stack` of a URN. */
export function stackOf(urn: string): string {
  const [stack, project, rest] = urn.startsWith("urn:pulumi:") ? urn.slice("urn:pulumi:".length).split("::") : [];
  return rest === undefined ? "" : `${project}/${stack}`;
}

/**
 * Reads the states one after the other, because one can be large. Throws a `UsageError` that names an unusable one.
 * @param isWanted - By its text, whether a state in a file is to be read: a folder can have thousands. @default all are
 */
export async function readStates(
  { stack = [], state = [] }: StateFlags,
  isWanted: (text: string) => boolean = () => true,
): Promise<ReadState[]> {
  if (state.filter((path) => path === "-").length > 1) throw new UsageError("--state - can be given only once");
  for (const name of stack) readStackName(name);
  const states: ReadState[] = [];
  const files = await stateFiles(state);
  for (const [at, name] of stack.entries()) states.push(await readStack(name, at));
  for (const [at, path] of files.entries()) {
    const text = (await readStateFile(path, at)).toString();
    // What has no URN is an empty state, or no state, which is refused.
    if (text.includes("urn:pulumi:") && !isWanted(text)) continue;
    try {
      states.push(stateIn(path === "-" ? "standard input" : path, readDeployment(text)));
    } catch (error) {
      throw refused(shownPath(path, at), (error as Error).message);
    }
  }
  return states;
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

/** When a state was saved, in milliseconds since 1970; 0 if it does not contain that. */
export const savedTime = ({ savedAt }: Pick<ReadState, "savedAt">): number => Date.parse(savedAt ?? "") || 0;

const signs = new WeakMap<ReadState, ReadonlySet<string>>();

/** What a state has in common with earlier and later ones of its stack: suffixes and keys. */
function signsOf(state: ReadState): ReadonlySet<string> {
  const { owners, pendingCreations, keys } = state;
  return getOrCreate(signs, state, () => {
    const suffixes = [...owners, ...pendingCreations].flatMap(({ suffix }) => suffix ?? []);
    return new Set([...suffixes, ...keys.map(({ id, name }) => `${id} ${name}`)]);
  });
}

/** Whether two states are of one stack. Organizations and backends can have stacks of the same name, with other keys. */
function isSameStack(one: ReadState, other: ReadState): boolean {
  return one.stack === other.stack && [...signsOf(one)].some((sign) => signsOf(other).has(sign));
}

/** The newest of the states that are of the same stack as one of them. Of equally old ones, the last. */
export function newestOf(state: ReadState, states: readonly ReadState[]): ReadState {
  const same = states.filter((each) => each === state || isSameStack(each, state));
  return same.reduce((newest, each) => (savedTime(each) >= savedTime(newest) ? each : newest));
}

/** The newest state of each stack. */
export function latestOf(states: readonly ReadState[]): ReadonlySet<ReadState> {
  return new Set(states.filter((state) => newestOf(state, states) === state));
}

/** Tells which states do not show all their keys. Returns how messages name them. */
export function warnOfHidden(states: readonly ReadState[]): readonly string[] {
  const hiding = states.filter(({ hidden }) => hidden.length > 0);
  for (const { source, hidden } of hiding) {
    printInfo(
      `${plain(source)} contains encrypted key ids: no state seems to hold these keys (${plain(hidden[0] ?? "")})`,
    );
  }
  return hiding.map(({ source }) => source);
}
