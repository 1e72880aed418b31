import { expect } from "vitest";
import { isAutoName } from "../../provider/keys/names";
import type { LogEntry } from "../../testing/control-plane";
import type { MiniEngine, Saved, Turn } from "./mini-engine";

const HOUR_MS = 3_600_000;

/** The grace period of rotating keys in the model, and their other periods. */
export const PERIODS = { gracePeriod: "1h", quietPeriod: "1m" } as const;
export const GRACE_MS = HOUR_MS;
const QUIET_MS = 60_000;
/** How long a previous key stays live at most, even if it is used. */
export const MAX_OVERLAP_MS = 7 * 24 * HOUR_MS;

/** A history of a state that has ended, because an older checkpoint was restored. */
export interface Ended extends Pick<Saved, "known" | "line"> {
  readonly consumers: ReadonlySet<string>;
  /** Its last request, by the number in the log. A request can be carried out later. */
  readonly until: number;
}

/** Somebody has used a key. */
export interface Use {
  /** The number in the log of the last request before the first use. */
  readonly after: number;
  /** The last use, in milliseconds since 1970. */
  readonly at: number;
}

/** What is known beside the engine that revokes a key. */
export interface World {
  readonly turns: readonly Turn[];
  /** All engines of the story, and the histories that have ended. */
  readonly engines: readonly MiniEngine[];
  readonly ended: readonly Ended[];
  /** The uses of keys, by the key's id. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Whether a provider is declared not to notice that somebody needs this key. */
  isWeak(id: string, engine: MiniEngine): boolean;
}

/** I5, I17, I18, I19: nobody needed a key that a provider has revoked. */
export function judgeRevocation(
  { id, name }: { readonly id: number; readonly name: string },
  entry: LogEntry,
  log: readonly LogEntry[],
  world: World,
): void {
  const { turns, isWeak } = world;
  const [key, asked] = [String(id), entry.lateOf ?? entry.seq];
  const at = Date.parse(log.find(({ seq }) => seq === asked)?.at ?? entry.at);
  const { engine, since: began = 0 } = turns.findLast(({ since }) => since < asked) ?? {};
  if (engine === undefined) throw new Error(`nobody was running when key ${id} was revoked`);
  if (isWeak(key, engine)) return;
  const held = engine.holdings.findLast(({ since }) => since < asked);
  // With an exact name and `onNameConflict`, the program asks to revoke whatever has the name. That can be a key that only
  // another history had, which has ended because an older state was restored: docs/limits.md.
  const isUnknown = !held?.known.has(key);
  if (isUnknown && !isAutoName(name) && world.ended.some(({ known }) => known.has(key))) return;
  expect([...engine.kept], "a key was revoked that was to outlive its resource").not.toContain(key);
  expect([...(held?.consumers ?? [])], "I5: a consumer held the key that was revoked").not.toContain(key);
  expect([...(held?.state ?? [])], "I5: the state held the key that was revoked").not.toContain(key);
  expect(
    [...(held?.released ?? [])],
    "I19: a key was revoked that had left the state without a deletion",
  ).not.toContain(key);
  if (held?.previous.has(key)) judgePrevious(key, at, engine, world);
  if (isUnknown && isAutoName(name)) judgeUnknown(key, name, asked, engine, world, log, began);
}

/** I18: consumers outside the stack had the successor for the whole grace period, and did not use the previous key. */
function judgePrevious(key: string, at: number, { outside }: MiniEngine, { uses }: World): void {
  const shown = outside.get(key);
  if (shown === undefined) return;
  const { supersededAt = Number.POSITIVE_INFINITY } = shown;
  expect(at, `I18: previous key ${key} was revoked before its grace was over`).toBeGreaterThanOrEqual(
    supersededAt + GRACE_MS,
  );
  if (at >= supersededAt + MAX_OVERLAP_MS) return;
  const used = uses.get(key)?.at ?? 0;
  expect(at, `I18: previous key ${key} was revoked though it was in use`).toBeGreaterThanOrEqual(used + QUIET_MS);
}

/** I17: a key that the state never had was requested by this history of it, was never used, and nobody else has it. */
function judgeUnknown(
  key: string,
  name: string,
  asked: number,
  engine: MiniEngine,
  { turns, engines, ended, uses }: World,
  log: readonly LogEntry[],
  began: number,
): void {
  const { line } = ended.find(({ until }) => asked <= until) ?? engine;
  expect([...line], `I17: unknown key ${key} was revoked, which this history never requested`).toContain(name);
  // A request can be carried out late, when another history has gone on from a later state.
  const isSince = (each: MiniEngine) => turns.every((turn) => turn.engine !== each || turn.since >= asked);
  const others = [
    ...engines.filter((each) => each !== engine && !isSince(each)),
    ...ended.filter(({ until }) => until < asked),
  ];
  const holders = others.filter(({ known }) => known.has(key));
  expect(holders.length, `I17: unknown key ${key} was revoked, which another history had`).toBe(0);
  // The run that makes a key may try it, and revoke it if it is not usable.
  // A request that was sent before the first use can be carried out after it.
  const { after = asked } = uses.get(key) ?? {};
  const wasUsed = after < asked || log.some(({ keyId, seq }) => String(keyId) === key && seq <= began);
  expect(wasUsed, `I17: unknown key ${key} was revoked, although it was used`).toBe(false);
}
