import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogEntry } from "keyplane/testing";
import { openedByAnybody } from "../recipients";
import { type Circumstances, exclusionOf } from "./exclusions";
import type { Stage } from "./harness";
import type { Keys, Scenario } from "./scenario";

/** What a run of the matrix did wrong. Each entry names the key. */
export interface Verdict {
  /** Live keys that no state and no consumer holds. */
  readonly leaked: readonly string[];
  /** Titles of the exclusions that cover the others. */
  readonly excluded: readonly string[];
  /** Keys that were revoked while somebody had no other key. */
  readonly revoked: readonly string[];
  /** Resources without a working key. */
  readonly lost: readonly string[];
}

interface Held {
  readonly urn: string;
  readonly ids: readonly string[];
  /** The secret of the current key, also if only a recipient can open it. */
  readonly secret: string | undefined;
  /** Whether somebody with the passphrase can read a secret. */
  readonly isReadable: boolean;
}

interface StoredResource {
  readonly urn: string;
  readonly id?: string;
  readonly type: string;
  readonly delete?: boolean;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

interface StoredState {
  readonly resources?: readonly StoredResource[];
  readonly pending_operations?: readonly { readonly type: string; readonly resource: StoredResource }[];
}

interface LiveKey {
  readonly id: number;
  readonly name: string;
}

/** A short description of a live key. */
const say = ({ id, name }: LiveKey): string => `${id} (${name})`;

/** After an `up`, every key of the program works, and no other key of the stack is live. */
export async function judgeDeployed(
  stage: Stage,
  program: Keys,
  circumstances: Omit<Circumstances, "shown" | "command">,
): Promise<Pick<Verdict, "leaked" | "excluded" | "lost">> {
  const held = await heldKeys(stage);
  const lost: string[] = [];
  for (const [name, { sealTo }] of Object.entries(program)) {
    const resource = held.find(({ urn }) => urn.endsWith(`::${name}`));
    if (resource === undefined || resource.ids.length === 0) lost.push(`${name} is not in the state`);
    else if (!(await works(stage, resource.secret))) lost.push(`the key of ${name} in the state does not work`);
    else if (sealTo !== undefined && resource.isReadable) lost.push(`the sealed key of ${name} is readable`);
  }
  const ids = new Set(held.flatMap((resource) => resource.ids));
  const left = (await ownKeys(stage)).filter(({ id }) => !ids.has(String(id)));
  return { ...judgeLeft(stage, left, { ...circumstances, command: "up", shown: namesOf(held) }), lost };
}

/**
 * After a `destroy`, no key of the stack is live. A key with an exact name has no tag, so it could belong to anybody.
 */
export async function judgeDestroyed(
  stage: Stage,
  circumstances: Omit<Circumstances, "command">,
): Promise<Pick<Verdict, "leaked" | "excluded">> {
  const left = (await ownKeys(stage)).filter(({ name }) => !name.startsWith("exactly-"));
  return judgeLeft(stage, left, { ...circumstances, command: "destroy" });
}

/** Names of the resources in the state that hold a key. */
export async function shownResources(stage: Stage): Promise<ReadonlySet<string>> {
  return namesOf(await heldKeys(stage));
}

function judgeLeft(
  { frontEnd }: Stage,
  left: readonly LiveKey[],
  circumstances: Circumstances,
): Pick<Verdict, "leaked" | "excluded"> {
  const judged = left.map((key) => {
    const leftover = { id: String(key.id), resource: key.name.split("-")[0] ?? "" };
    return {
      text: `${say(key)} after ${circumstances.command}`,
      exclusion: exclusionOf(frontEnd, leftover, circumstances),
    };
  });
  return {
    leaked: judged.filter(({ exclusion }) => exclusion === undefined).map(({ text }) => text),
    excluded: judged.flatMap(({ exclusion }) => exclusion?.title ?? []),
  };
}

function namesOf(held: readonly Held[]): ReadonlySet<string> {
  return new Set(held.map(({ urn }) => urn.split("::").at(-1) ?? ""));
}

/**
 * During the whole run, no key was revoked that a consumer or a state still held, that was used, or that belongs to
 * somebody else.
 */
export async function judgeRevocations(
  stage: Stage,
  scenario: Scenario,
  kill?: ProviderKill,
): Promise<Pick<Verdict, "revoked">> {
  const log = await stage.plane.log();
  const states = await statesOf(stage);
  const deliveries = (await readFile(join(stage.notes, "deliveries"), "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { at: number; consumer: string; keyId?: string });
  const everHeld = new Set(states.flatMap(({ state }) => heldBy(state.resources ?? []).flatMap(({ ids }) => ids)));
  const revoked: string[] = [];
  for (const entry of log) {
    for (const effect of entry.effects.filter((each) => each.kind === "key-revoked")) {
      const id = String(effect.id);
      const at = askedAt(entry, log, kill);
      const wrong = (why: string) => revoked.push(`${say(effect)}: ${why}`);
      if (stage.strangers.includes(effect.id)) wrong("it is a stranger's");
      const last = new Map(deliveries.filter((each) => each.at <= at).map((each) => [each.consumer, each.keyId]));
      for (const [consumer, keyId] of last) {
        if (keyId === id && !scenario.deletesFirst) wrong(`${consumer} held it`);
      }
      const state = states.findLast((each) => each.at <= at)?.state;
      if (state && isNeeded(id, state)) wrong("the state held it");
      const used = log.some((each) => String(each.keyId) === id && each.seq < entry.seq);
      if (used && !everHeld.has(id)) wrong("it was used, and no state ever held it");
    }
  }
  const live = new Set((await stage.plane.liveKeys()).map(({ id }) => id));
  return { revoked: [...revoked, ...stage.strangers.filter((id) => !live.has(id)).map((id) => `${id}: a stranger's`)] };
}

/** When a provider was killed, and the last request that can have come from it. */
export interface ProviderKill {
  readonly at: number;
  readonly lastSeq: number;
}

/**
 * When a revocation was requested. A revocation that is carried out late was requested earlier, and so was one that
 * reaches the service after its sender was killed.
 */
function askedAt(entry: LogEntry, log: readonly LogEntry[], kill: ProviderKill | undefined): number {
  const { seq, startedAt } = log.find((each) => each.seq === entry.lateOf) ?? entry;
  return kill !== undefined && seq <= kill.lastSeq ? Math.min(startedAt, kill.at) : startedAt;
}

/** Whether a state holds a key that is not about to be deleted and has no successor. */
function isNeeded(id: string, { resources = [], pending_operations: pending = [] }: StoredState): boolean {
  const deleting = new Set(pending.filter(({ type }) => type === "deleting").map(({ resource }) => keyOf(resource)));
  return resources.some((resource) => {
    if (resource.delete || deleting.has(keyOf(resource))) return false;
    // The previous key of a rotating key has its successor beside it.
    return resource.outputs?.keyId === id && heldBy([resource]).length > 0;
  });
}

/** A replacement that continues to hold the same key has another id. */
function keyOf({ urn, id, outputs }: StoredResource): string {
  return `${urn} ${id} ${String(outputs?.keyId)}`;
}

async function heldKeys({ workspace }: Stage): Promise<Held[]> {
  const { deployment } = await workspace.exportState({ showSecrets: true });
  return heldBy((deployment.resources ?? []) as unknown as StoredResource[]);
}

function heldBy(resources: readonly StoredResource[]): Held[] {
  return resources
    .filter(({ type }) => /keyplane:(index:)?(Rotating)?ApiKey$/.test(type))
    .map(({ urn, outputs = {} }) => ({
      urn,
      ids: [outputs.keyId, outputs.previousKeyId].filter((id) => typeof id === "string"),
      secret: openedByAnybody(outputs.sealedKey) ?? plainText(outputs.key),
      isReadable: [outputs.key, outputs.previousKey].some((key) => plainText(key) !== undefined),
    }));
}

/** The text in the envelope of a secret, as `stack export --show-secrets` shows it. */
function plainText(secret: unknown): string | undefined {
  const text = (secret as { plaintext?: unknown } | undefined)?.plaintext;
  if (typeof text !== "string") return undefined;
  // The output of a sealed key is a secret that is null.
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : undefined;
}

async function works(stage: Stage, secret: string | undefined): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` };
  return (await fetch(`${stage.plane.url}/projects?limit=1`, { headers })).ok;
}

async function ownKeys({ plane, strangers }: Stage): Promise<LiveKey[]> {
  return (await plane.liveKeys()).filter(({ id }) => !strangers.includes(id));
}

async function statesOf({ notes }: Stage): Promise<{ readonly at: number; readonly state: StoredState }[]> {
  const folder = join(notes, "states");
  const names = await readdir(folder).catch(() => []);
  const states = names.map(async (name) => {
    const [at = "", order = ""] = name.replace(".json", "").split("-");
    const { checkpoint } = JSON.parse(await readFile(join(folder, name), "utf8"));
    return { at: Number(at), order: BigInt(order), state: (checkpoint.latest ?? {}) as StoredState };
  });
  return (await Promise.all(states)).sort((a, b) => a.at - b.at || Number(a.order - b.order));
}
