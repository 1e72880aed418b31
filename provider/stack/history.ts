import { jsonIn, membersOf } from "../members";
import type { Delivery, HistoryMark } from "../schema/witness";
import { variableOf } from "./command-line";

/** A deployment of a stack, as the engine has recorded it. */
export interface Run {
  /** Whether it may have updated the stack from its program without an error, perhaps only in part. */
  readonly mayHaveSucceeded: boolean;
  /**
   * Whether it may have delivered keys that no ledger has on record: it may have succeeded, or it was a destroy, which
   * deletes the ledger before the keys.
   */
  readonly mayHaveDelivered: boolean;
  /** Whether it updated the stack from its program, as a whole and without an error. */
  readonly isComplete: boolean;
  /** Whether only updates changed the times of resources in it: a refresh that finds drift does so, too. */
  readonly onlyUpdates: boolean;
  /** Its number, if it has ended and the backend is a service, which numbers all runs of a stack, killed ones, too; else 0. */
  readonly version: number;
  /** When it began and ended, in milliseconds since 1970. The record has whole seconds: it ended before the next one. */
  readonly began: number;
  readonly ended: number;
}

export interface RunPage {
  readonly runs: readonly Run[];
  readonly isLast: boolean;
}

/** Flags and variables that keep a run from reaching every resource. */
const LIMITS = ["target", "target-replace", "exclude"];

/**
 * Reads the output of `pulumi stack history --json`. An entry that cannot be read is no proof of a complete run. Throws
 * an `Error` if there is no list.
 */
export function readHistory(text: string): readonly Run[] {
  const entries = jsonIn(text);
  if (!Array.isArray(entries)) throw new Error("`pulumi stack history` answered without a list");
  return entries.map(readRun);
}

/** The runs of a stack, newest first, as far back as somebody asks. Each page is read once. */
export class RunPages {
  #runs: readonly Run[] = [];
  #pages = 0;
  /** `unknown`: no further page can be read. */
  #end: "open" | "whole" | "unknown" = "open";
  #reading: Promise<void> | undefined;

  /** @param read - Reads a page, from 1; `undefined` if it cannot be read. */
  constructor(private readonly read: (page: number) => Promise<RunPage | undefined>) {}

  /** The runs until one that began before a time, if the history goes back that far; `undefined` if it cannot be read. */
  async until(time: number): Promise<readonly Run[] | undefined> {
    while (this.#end === "open" && !(firstOf(this.#runs) < time)) {
      this.#reading ??= this.#readNext();
      await this.#reading;
    }
    if (this.#pages === 0) return undefined;
    return this.#end === "whole" ? this.#runs : [...this.#runs, runsBefore(this.#runs)];
  }

  async #readNext(): Promise<void> {
    const page = await this.read(this.#pages + 1);
    this.#reading = undefined;
    // Otherwise the page has no readable time, or the same runs once more.
    const isFurther = page !== undefined && firstOf(page.runs) < firstOf(this.#runs);
    const isNew = isFurther || this.#pages === 0;
    if (page?.isLast && (isNew || page.runs.length === 0)) this.#end = "whole";
    else if (!isFurther) this.#end = "unknown";
    if (page === undefined) return;
    if (isNew) this.#runs = [...this.#runs, ...page.runs];
    this.#pages++;
  }
}

/** When the first of these runs began, as far as that can be read. */
function firstOf(runs: readonly Run[]): number {
  return Math.min(...runs.map(({ began }) => began).filter((began) => !Number.isNaN(began)));
}

/** What is not known of the runs before these, as one run: it may have delivered keys at any time before them. */
function runsBefore(runs: readonly Run[]): Run {
  return {
    mayHaveSucceeded: true,
    mayHaveDelivered: true,
    isComplete: false,
    onlyUpdates: false,
    version: 0,
    began: Number.NEGATIVE_INFINITY,
    ended: firstOf(runs),
  };
}

function readRun(entry: unknown): Run {
  const { version: number, kind, result, startTime, endTime, environment: given } = membersOf(entry);
  const environment = membersOf(given);
  const has = (option: string) =>
    `pulumi.flag.${option}` in environment || `pulumi.env.${variableOf(option)}` in environment;
  const isLimited = LIMITS.some(has);
  // A CLI that records its version records its flags, too.
  const isKnown = environment["pulumi.version"] !== undefined;
  const mayHaveSucceeded = kind === "update" && result === "succeeded";
  const mayHaveDelivered = mayHaveSucceeded || kind === "destroy";
  const isComplete = mayHaveSucceeded && isKnown && !isLimited;
  const onlyUpdates = kind === "update" && isKnown && !has("refresh");
  const [began, end] = [Date.parse(String(startTime)), Date.parse(String(endTime))];
  const ended = end + (end % 1_000 === 0 ? 999 : 0);
  const hasEnded = (result === "succeeded" || result === "failed") && !Number.isNaN(began);
  const version = hasEnded && typeof number === "number" ? number : 0;
  return { mayHaveSucceeded, mayHaveDelivered, isComplete, onlyUpdates, version, began, ended };
}

/**
 * What the history shows in the middle of a run. A complete run that it lacks is this run, or a later one.
 * @param startedAt - When the provider of this run was started.
 */
export function markOf(runs: readonly Run[], startedAt: number): HistoryMark {
  const ends = runs.filter(({ isComplete }) => isComplete).map(({ ended }) => ended);
  const last = Math.max(0, ...ends.filter((ended) => !Number.isNaN(ended)));
  const [newest] = runs.filter(({ version }) => version > 0).toSorted((one, other) => other.version - one.version);
  return {
    startedAt,
    lastEnd: last,
    runsAtLastEnd: ends.filter((ended) => ended === last).length,
    ...(newest && { newest: { version: newest.version, began: newest.began } }),
  };
}

/**
 * How a change reached the rest of the stack. Times cannot tell a run from the one before it, because the record has whole
 * seconds, and other machines have other clocks. So only a run counts that the history lacked when the change was made.
 * Which of these made the change, a service tells by their numbers, because it locks the stack during a run: it has another
 * clock. Another backend has the engine's times, and no entry of a run that was killed.
 */
export function deliveryOf(runs: readonly Run[], mark: HistoryMark): Delivery {
  const { startedAt, lastEnd, runsAtLastEnd, newest } = mark;
  const complete = runs.filter(({ isComplete }) => isComplete);
  const atLastEnd = complete.filter(({ ended }) => ended === lastEnd);
  const later = [
    ...complete.filter(({ ended }) => ended > lastEnd),
    ...(atLastEnd.length > runsAtLastEnd ? atLastEnd : []),
  ];
  const isNumbered = runs.some(({ version, began }) => version === newest?.version && began === newest.began);
  const own = later.find(({ version, began, ended }) =>
    isNumbered ? version - 1 === newest?.version : began <= startedAt && startedAt <= ended,
  );
  return own?.ended ?? (later.length === 0 ? undefined : "later");
}
