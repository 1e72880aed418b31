import { isAborted, isApiError, isKeyplaneError } from "../../errors";
import type { Clock } from "../../http";
import { isInconclusive } from "../../http/statuses";
import { Collected } from "../collected";
import type { Page } from "../paging";
import type { Operation } from "../records";

/** Minimum time between two polls of a project, in milliseconds, however many waits begin. */
const FLOOR_MS = 1000;
/** Maximum share by which an interval is lengthened, so that many processes do not poll at the same moment. */
const JITTER = 0.15;
/** Number of consecutive failed polls after which the waits fail. */
const MAX_FAILED_POLLS = 20;
/** The same for an unknown project. A new project is unknown for a short time only. */
const MAX_UNKNOWN_POLLS = 4;
/** Operations per page while scanning a project. */
const SCAN_PAGE = 100;

/** What one wait needs from a poll of its project. */
export interface Wanted {
  /** Whether it scans the list, and not only the operations that it wants. */
  readonly scans: boolean;
  /** Ids, in lower case, that each poll must look up. */
  ids(): Iterable<string>;
  /** Whether no further page is needed. */
  enough(page: readonly Operation[]): boolean;
}

interface PollResult {
  /** Operations by id, in lower case. */
  readonly found: ReadonlyMap<string, Operation>;
  /** Wanted ids that the service does not know. */
  readonly missing: ReadonlySet<string>;
  /** Why not everything could be read, and whether no later poll is to be made. */
  readonly failure?: unknown;
  readonly isFinal: boolean;
  readonly endedAt: number;
}

/** One poll, which several waits share. */
interface Poll {
  readonly begunAt: number;
  /** By how much the interval to the next one is longer. */
  readonly stretch: number;
  readonly result: Promise<PollResult>;
  covers: ReadonlySet<Wanted>;
}

/** A poll that a wait has evaluated. */
export interface Seen {
  readonly poll: Poll;
  readonly result: PollResult;
}

interface PollerContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly route: string;
  readonly pages: (atMost: number, signal: AbortSignal) => AsyncIterable<Page<Operation>>;
  readonly get: (id: string, signal: AbortSignal) => Promise<Operation>;
}

/** Polls one project for all its waits. */
export class ProjectPoller {
  readonly #waits = new Set<Wanted>();
  #stop = new AbortController();
  /** Of polls in a row. They count on after a wait, so that the waits for an unknown project do not all take long. */
  #failures = 0;
  #last: Poll | undefined;

  constructor(
    readonly projectId: string,
    private readonly context: PollerContext,
  ) {}

  add(wait: Wanted): void {
    this.#waits.add(wait);
  }

  /** Removes a wait. Without waits, the poll under way is cancelled. */
  remove(wait: Wanted): void {
    this.#waits.delete(wait);
    if (this.#waits.size > 0) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#last = undefined;
  }

  /** When the next poll of a wait is due: its first one at once, or after the minimum time since the last poll. */
  nextAt(wait: Wanted, intervalMs: number, seen?: Seen): number {
    if (seen !== undefined) return seen.result.endedAt + intervalMs * seen.poll.stretch;
    const last = this.#last;
    const isNew = last !== undefined && !last.covers.has(wait);
    return isNew ? last.begunAt + Math.min(FLOOR_MS, intervalMs) : this.context.clock.monotonic();
  }

  /** The last poll, if it covers a wait that has not seen it; otherwise a new one. */
  poll(wait: Wanted, seen?: Poll): Poll {
    const last = this.#last;
    if (last !== undefined && last !== seen && last.covers.has(wait)) return last;
    const { clock, random } = this.context;
    // Waits that begin at the same moment share it.
    const result = Promise.resolve().then(() => {
      poll.covers = new Set(this.#waits);
      return this.#look(poll.covers);
    });
    const poll: Poll = { begunAt: clock.monotonic(), stretch: 1 + JITTER * random(), result, covers: this.#waits };
    this.#last = poll;
    return poll;
  }

  async #look(waits: ReadonlySet<Wanted>): Promise<PollResult> {
    const { signal } = this.#stop;
    const ids = new Set(Array.from(waits, (each) => [...each.ids()]).flat());
    const [found, missing] = [new Map<string, Operation>(), new Set<string>()];
    let failure: unknown;
    const tried = (reading: Promise<void>) => {
      return reading.catch((error) => {
        failure ??= error;
      });
    };
    const single = async (id: string) => {
      try {
        found.set(id, await this.context.get(id, signal));
      } catch (error) {
        if (!isApiError(error) || error.kind !== "not_found") throw error;
        missing.add(id);
      }
    };
    if (ids.size > 1 || [...waits].some((each) => each.scans)) await tried(this.#list(waits, ids.size, found, signal));
    if (failure === undefined) {
      await Promise.all([...ids].filter((id) => !found.has(id)).map((id) => tried(single(id))));
    }
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    const isFinal = failure !== undefined && isFinalFailure(failure, this.#failures);
    return { found, missing, failure, isFinal, endedAt: this.context.clock.monotonic() };
  }

  async #list(waits: ReadonlySet<Wanted>, ids: number, found: Map<string, Operation>, signal: AbortSignal) {
    const open = new Set(waits);
    const atMost = [...waits].some((each) => each.scans) ? SCAN_PAGE : Math.min(SCAN_PAGE, Math.max(20, 2 * ids));
    const collected = new Collected(this.context.route);
    for await (const { items } of this.context.pages(atMost, signal)) {
      for (const each of collected.take(items)) found.set(each.id.toLowerCase(), each);
      for (const each of open) if (each.enough(items)) open.delete(each);
      if (open.size === 0) return;
    }
  }
}

/** Whether to stop polling after this error, which is number `failures` in a row. */
function isFinalFailure(error: unknown, failures: number): boolean {
  if (isAborted(error)) return true;
  // No later poll would be sent either.
  if (isKeyplaneError(error) && (error.kind === "input" || error.kind === "config")) return true;
  if (!isApiError(error)) return failures >= MAX_FAILED_POLLS;
  if (error.kind === "not_found") return failures >= MAX_UNKNOWN_POLLS;
  const passing = error.kind === "rate_limit" || isInconclusive(error.status ?? 0);
  return passing ? failures >= MAX_FAILED_POLLS : true;
}
