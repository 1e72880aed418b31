import { jsonIn, membersOf } from "../members";

/** A run of a stack that has ended, as the engine has recorded it. */
export interface Run {
  /** Whether it updated the stack from its program, as a whole and without an error. */
  readonly isWhole: boolean;
  /** Whether it updated the stack from its program without an error, perhaps only in part. */
  readonly succeeded: boolean;
  /** When it began and ended, in milliseconds since 1970. A record of whole seconds means that it ended before the next one. */
  readonly began: number;
  readonly ended: number;
}

/** Flags and variables that keep a run from reaching every resource. */
const LIMIT = /^pulumi\.(?:flag\.|env\.PULUMI_OPTION_)(?:target|exclude)/i;

/** How far the times of a run and of a key can differ after the clocks were compared: both have whole seconds. */
const MARGIN_MS = 2_000;

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
  const { kind, result, startTime, endTime, environment: recorded } = membersOf(entry);
  const environment = membersOf(recorded);
  const succeeded = kind === "update" && result === "succeeded";
  // A CLI that records its version records its flags, too.
  const isWhole =
    succeeded &&
    environment["pulumi.version"] !== undefined &&
    !Object.keys(environment).some((name) => LIMIT.test(name));
  const end = Date.parse(String(endTime));
  return { isWhole, succeeded, began: Date.parse(String(startTime)), ended: end + (end % 1_000 === 0 ? 999 : 0) };
}

/**
 * When a rotation had reached the whole stack: the end of the first whole run that ended after it, in milliseconds since
 * 1970. If that run is not among these any more, a later one counts, which is safe. `undefined` if there is none yet.
 */
export function deliveredSince(runs: readonly Run[], rotatedAt: number): number | undefined {
  // The newest run is the first. Those before the one that rotated delivered nothing, also if their machine's clock was ahead.
  const own = runs.findIndex(({ began, ended }) => began <= rotatedAt && rotatedAt <= ended);
  const later = own < 0 ? runs : runs.slice(0, own + 1);
  const ends = later.flatMap(({ isWhole, ended }) => (isWhole && ended > rotatedAt ? [ended] : []));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/**
 * Whether an update that succeeded was under way at a time, by the clock of the history. `unknown` if the history does
 * not reach back before it, as that of a stack whose state was imported.
 */
export function succeededAt(runs: readonly Run[], at: number): "yes" | "no" | "unknown" {
  // A time that cannot be read can be any.
  const covers = ({ began, ended }: Run) => !(at < began - MARGIN_MS || at > ended + MARGIN_MS);
  if (runs.some((run) => run.succeeded && covers(run))) return "yes";
  return runs.some(({ began }) => began < at - MARGIN_MS) ? "no" : "unknown";
}
