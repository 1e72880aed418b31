import { jsonIn, type Members, membersOf } from "../members";

/** An update of a stack, as the backend has recorded it. */
export interface Run {
  /** Whether it updated the stack from its program, as a whole and without an error; `unknown` if the record lacks its flags. */
  readonly isWhole: "yes" | "no" | "unknown";
  /** Whether it is an update, which can create keys. A refresh or a destroy cannot. */
  readonly isUpdate: boolean;
  /** Whether it goes on, or was killed on a service. Files have no record of such a run. */
  readonly isInProgress: boolean;
  /** When it began and ended, in milliseconds since 1970. A record of whole seconds means that it ended before the next one. */
  readonly began: number;
  readonly ended: number;
}

/** Flags and variables that keep a run from reaching every resource. */
const LIMIT = /^pulumi\.(?:flag\.|env\.PULUMI_OPTION_)(?:target|exclude)/i;

/** Runs that create nothing. */
const NO_UPDATES: readonly unknown[] = ["refresh", "destroy", "preview"];

/**
 * Reads the output of `pulumi stack history --json`. An entry that cannot be read is no proof of a whole run. Throws an
 * `Error` if there is no list.
 */
export function readHistory(text: string): readonly Run[] {
  const entries = jsonIn(text);
  if (!Array.isArray(entries)) throw new Error("is not a list of runs");
  return entries.map(readRun);
}

function readRun(entry: unknown): Run {
  const { kind, result, startTime, endTime, environment } = membersOf(entry);
  const end = Date.parse(String(endTime));
  return {
    isWhole: kind === "update" && result === "succeeded" ? reachesAll(membersOf(environment)) : "no",
    isUpdate: !NO_UPDATES.includes(kind),
    isInProgress: result === "in-progress",
    began: Date.parse(String(startTime)),
    ended: end + (end % 1_000 === 0 ? 999 : 0),
  };
}

function reachesAll(environment: Members): Run["isWhole"] {
  // A CLI that records its version records its flags, too.
  if (environment["pulumi.version"] === undefined) return "unknown";
  return Object.keys(environment).some((name) => LIMIT.test(name)) ? "no" : "yes";
}

/**
 * When a rotation had reached the whole stack: the end of the first whole run that ended after it, in milliseconds since
 * 1970. If that run is not among these any more, a later one counts, which is safe. `no` if there is none yet; `unknown` if
 * there is one that may have been limited to other resources.
 */
export function deliveredSince(runs: readonly Run[], rotatedAt: number): number | "no" | "unknown" {
  // The newest run is the first. Those before the one that rotated delivered nothing, also if their machine's clock was ahead.
  const own = runs.findIndex(({ began, ended }) => began <= rotatedAt && rotatedAt <= ended);
  const later = own < 0 ? runs : runs.slice(0, own + 1);
  const since = later.filter(({ ended, isInProgress }) => !isInProgress && ended > rotatedAt);
  const ends = since.flatMap(({ isWhole, ended }) => (isWhole === "yes" ? [ended] : []));
  if (ends.length > 0) return Math.min(...ends);
  return since.some(({ isWhole }) => isWhole === "unknown") ? "unknown" : "no";
}

/**
 * Whether an update, whatever its result, has ended since a time of the service: it can have saved and handed out what was made
 * then. `unknown` if the history does not reach back before that time.
 * @param skewMs - How far the service's clock is ahead of this machine's. Either of them can be the clock of the history, so the
 * earlier reading counts.
 */
export function updatedSince(runs: readonly Run[], time: number, skewMs = 0): "yes" | "no" | "unknown" {
  const at = Math.min(time, time - skewMs);
  const ended = runs.filter(({ isInProgress }) => !isInProgress);
  // A time that cannot be read can be any.
  if (ended.some((run) => run.isUpdate && !(run.ended < at))) return "yes";
  return ended.some(({ began }) => began < at) ? "no" : "unknown";
}
