import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LiveKey } from "keyplane/testing";
import { openedByAnybody } from "../recipients";
import type { Stage } from "./harness";
import type { Case } from "./plan";
import { EXACT, type Keys, type Scenario } from "./scenarios";

/** On a service, the run that was killed ends as failed when it is cancelled. */
const IS_LATE = process.env.KEYPLANE_LATE_STATE === "true";

/** What a case did wrong, and what it had to leave. Each entry names the key. */
export interface Verdict {
  /** Live keys that nothing holds, and that keyplane had to revoke. */
  readonly leaked: readonly string[];
  /** Those that the run after the crash has made. */
  readonly twice: readonly string[];
  /** Those without a proof, because only the provider's process was killed: reported, or shown by `keyplane keys`. */
  readonly reported: readonly string[];
  /** Those of a stack in which nothing was left to call keyplane for. The engine's pending operation names the resource. */
  readonly uncalled: readonly string[];
  /** Keys that were revoked while somebody needed them. */
  readonly revoked: readonly string[];
  /** Resources without a working key. */
  readonly lost: readonly string[];
}

/** The keys in the state at one time. */
export interface Held {
  readonly resources: readonly HeldResource[];
  readonly suffixes: ReadonlySet<unknown>;
  /** Names of the resources whose creation was begun and has not ended. */
  readonly noted: readonly string[];
  /** Names of the consumers that it knows. */
  readonly consumers: readonly string[];
}

interface HeldResource {
  readonly name: string;
  readonly isDoomed: boolean;
  readonly keyId: unknown;
  /** Every key that it has, or is to revoke. */
  readonly ids: readonly unknown[];
  /** Those that must work. */
  readonly needed: readonly unknown[];
  readonly secret: string | undefined;
  readonly isReadable: boolean;
}

export async function heldIn({ workspace }: Stage): Promise<Held> {
  const { deployment } = await workspace.exportState({ showSecrets: true });
  const { resources = [], pending_operations: pending = [] } = deployment;
  const keys = resources.filter(({ type }) => /keyplane:(index:)?(Rotating)?ApiKey$/.test(type));
  const nameIn = (urn: string) => urn.split("::").at(-1) ?? "";
  return {
    consumers: resources.filter(({ type }) => type.endsWith(":Consumer")).map(({ urn }) => nameIn(urn)),
    suffixes: new Set(keys.map(({ inputs = {} }) => inputs.__suffix)),
    noted: pending.filter(({ type }) => type === "creating").map(({ resource }) => nameIn(resource.urn)),
    resources: keys.map(({ urn, outputs = {}, ...resource }) => {
      const { keyId, previousKeyId, pendingRevocations = [] } = outputs;
      return {
        name: nameIn(urn),
        isDoomed: resource.delete === true,
        keyId,
        ids: [keyId, previousKeyId, pendingRevocations].flat(),
        needed: [keyId, previousKeyId].filter((id) => typeof id === "string"),
        secret: openedByAnybody(outputs.sealedKey) ?? plainText(outputs.key),
        isReadable: [outputs.key, outputs.previousKey].some((key) => plainText(key) !== undefined),
      };
    }),
  };
}

/** The text in the envelope of a secret, as `stack export --show-secrets` shows it. */
function plainText(secret: unknown): string | undefined {
  const text = (secret as { plaintext?: unknown } | undefined)?.plaintext;
  if (typeof text !== "string") return undefined;
  // The output of a sealed key is a secret that is null.
  const value: unknown = JSON.parse(text);
  return typeof value === "string" ? value : undefined;
}

/** What is known about the crash when the last command has ended. */
interface Circumstances {
  readonly one: Case;
  /** The state after the crash. */
  readonly atCrash: Held;
  /** Number of the last request before the crash. */
  readonly lastSeq: number;
  /** All that was printed since. */
  readonly printed: string;
  /** The program that is deployed now; undefined after a `destroy`. */
  readonly program: Keys | undefined;
}

export async function judge(stage: Stage, scenario: Scenario, circumstances: Circumstances): Promise<Verdict> {
  const held = await heldIn(stage);
  const live = await stage.plane.liveKeys();
  const revoked = await wronglyRevoked(stage, scenario, circumstances, live);
  const lost = await lostIn(stage, held, live, circumstances.program);
  return { ...(await leftIn(stage, held, live, circumstances)), revoked, lost };
}

async function lostIn(stage: Stage, held: Held, live: readonly LiveKey[], program: Keys | undefined) {
  if (program === undefined) return held.resources.map(({ name }) => `${name} is still in the state`);
  const lost: string[] = [];
  const isLive = (id: unknown) => live.some((key) => String(key.id) === id);
  for (const [name, { sealTo }] of Object.entries(program)) {
    const resource = held.resources.find((each) => each.name === name && !each.isDoomed);
    if (typeof resource?.keyId !== "string") lost.push(`${name} has no key in the state`);
    else if (!resource.needed.every(isLive)) lost.push(`a key of ${name} in the state is not live`);
    else if (!(await works(stage, resource.secret))) lost.push(`the secret of ${name} in the state does not work`);
    else if (sealTo !== undefined && resource.isReadable) lost.push(`the sealed key of ${name} is readable`);
  }
  return lost;
}

async function works({ plane }: Stage, secret: string | undefined): Promise<boolean> {
  return (await fetch(`${plane.url}/projects?limit=1`, { headers: { authorization: `Bearer ${secret}` } })).ok;
}

/** The live keys that the state does not have. */
async function leftIn({ plane, start }: Stage, held: Held, live: readonly LiveKey[], circumstances: Circumstances) {
  const { one, atCrash, lastSeq, printed } = circumstances;
  const ids = new Set(held.resources.flatMap((resource) => resource.ids));
  const isOurs = ({ id }: LiveKey) => !start.strangers.includes(id) && String(id) !== start.hand.id;
  const log = await plane.log();
  const verdict = { leaked: [] as string[], twice: [] as string[], reported: [] as string[], uncalled: [] as string[] };
  for (const key of live.filter((each) => isOurs(each) && !ids.has(String(each.id)))) {
    const text = `${key.id} (${key.name})`;
    const made = log.find(({ effects }) => effects.some((each) => each.kind === "key-created" && each.id === key.id));
    const isReported = new RegExp(`keyplane revoke (?:\\d+ )*${key.id}\\b`).test(printed);
    // The next request of a resource in the state is proven by its suffix.
    const isUnproven =
      one.victim === "host" && ![...atCrash.suffixes].some((suffix) => key.name.includes(`-${suffix}`));
    // A request that takes effect after the run that heals is reported by the next list.
    const isLate = made !== undefined && made.lateOf !== null && isReported;
    // The next attempt of a rotation, after an update that has ended since: it can have handed the key out.
    const isUpdatedSince =
      isReported && /-\d+$/.test(key.name) && (one.victim === "host" || one.next === "back" || IS_LATE);
    // A key with an exact name can be anybody's. Its next creation fails, unless the program allows to revoke it.
    const isExact = key.name === EXACT && one.next === "destroy";
    if (made !== undefined && made.seq > lastSeq && made.lateOf === null) verdict.twice.push(text);
    // Only the next creation of the same resource can report it.
    else if ((isUnproven && (isReported || one.next !== "up")) || isExact || isLate || isUpdatedSince)
      verdict.reported.push(`${text}${isReported ? "" : ", unreported"}`);
    else if (atCrash.resources.length === 0 && one.next === "destroy" && held.noted.includes("a"))
      verdict.uncalled.push(text);
    else verdict.leaked.push(text);
  }
  return verdict;
}

/** Keys that were revoked although a consumer had them, during their grace, or although they are somebody else's. */
async function wronglyRevoked(
  { plane, notes, start }: Stage,
  { revokesHeld, name }: Scenario,
  { one: { next }, atCrash }: Circumstances,
  live: readonly LiveKey[],
): Promise<string[]> {
  const deliveries = (await readFile(join(notes, "deliveries"), "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { at: number; consumer: string; keyId?: string });
  const wrong = start.strangers.filter((id) => live.every((key) => key.id !== id)).map((id) => `${id}: a stranger's`);
  for (const { effects, startedAt } of await plane.log()) {
    for (const effect of effects.filter((each) => each.kind === "key-revoked")) {
      const id = String(effect.id);
      const text = `${id} (${effect.name})`;
      const last = new Map(deliveries.filter(({ at }) => at <= startedAt).map((each) => [each.consumer, each.keyId]));
      // An exact name must be free for its successor.
      const isFirst = id === start.keyOfA;
      for (const [consumer, keyId] of last) {
        // The engine does not delete one that it had not saved when it was killed.
        if (next !== "up" && !atCrash.consumers.includes(consumer)) continue;
        if (keyId === id && !(revokesHeld && isFirst) && effect.name !== EXACT)
          wrong.push(`${text}: ${consumer} had it`);
      }
      if (name.startsWith("rotate") && isFirst && next !== "destroy") wrong.push(`${text}: its grace was not over`);
    }
  }
  return wrong;
}
