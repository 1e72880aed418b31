import { MAX_TIMER_MS } from "../../duration";
import { isAborted, isApiError, isKeyplaneError } from "../../errors";
import { type Clock, withLinked } from "../../http";
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

export interface PollResult {
  /** Operations by id, in lower case. */
  readonly found: ReadonlyMap<string, Operation>;
  /** Requested ids that the service does not know. */
  readonly missing: ReadonlySet<string>;
  /** Whether some requested operations could not be read. */
  readonly incomplete: boolean;
}

/** One wait for something in the project. */
export interface Watcher {
  /** Monotonic time at which `expire` is due. */
  readonly deadline: number;
  readonly intervalMs: number;
  /** Whether it scans the list, and not only the operations that it wants. */
  readonly scans: boolean;
  /** Ids, in lower case, that each poll must look up. */
  wanted(): Iterable<string>;
  /** Whether no further page is needed. */
  enough(page: readonly Operation[]): boolean;
  see(result: PollResult): void;
  missed(reason: unknown): void;
  /** Called when there will be no more polls. */
  fail(error: Error): void;
  expire(): void;
}

interface PollerContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly route: string;
  readonly pages: (atMost: number, signal: AbortSignal) => AsyncIterable<Page<Operation>>;
  readonly get: (id: string, signal: AbortSignal) => Promise<Operation>;
  /** Called when the last watcher is removed. The poller is not used afterwards. */
  readonly idle: () => void;
  /** Whether earlier waits ended because the project was unknown. Then the first such answer ends these, too. */
  readonly wasUnknown: boolean;
  /** Called when waits end because the project is unknown. */
  readonly unknown: () => void;
}

/** Polls one project for all its watchers: at once, then once per interval. */
export class ProjectPoller {
  readonly #watchers = new Set<Watcher>();
  readonly #stop = new AbortController();
  #running = false;
  #failures = 0;
  #polledAt = Number.NEGATIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;
  #wake = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: PollerContext) {
    if (context.wasUnknown) this.#failures = MAX_UNKNOWN_POLLS - 1;
  }

  /** Adds a watcher. Its first poll runs at once, or after the minimum time since the last poll. */
  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
    if (!this.#running) {
      this.#running = true;
      void this.#run();
      return;
    }
    this.#hasten(watcher);
    this.#wake.abort();
  }

  /** Removes a watcher. Without watchers, everything under way is cancelled. */
  remove(watcher: Watcher): void {
    if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return;
    this.context.idle();
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    try {
      // Watchers that are added at the same moment share the first poll.
      await Promise.resolve();
      while (this.#watchers.size > 0) {
        await this.#poll();
        await this.#pause();
      }
    } catch (error) {
      this.#failAll(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #poll(): Promise<void> {
    const watchers = [...this.#watchers];
    this.#polledAt = this.context.clock.monotonic();
    this.#watchDeadlines();
    let result: PollResult | undefined;
    let failure: unknown;
    try {
      ({ result, failure } = await this.#look(watchers));
    } catch (error) {
      failure = error;
    } finally {
      clearTimeout(this.#timer);
    }
    const present = watchers.filter((each) => this.#watchers.has(each));
    if (failure === undefined) this.#failures = 0;
    else if (isFinal(failure, ++this.#failures)) {
      if (isApiError(failure) && failure.kind === "not_found") this.context.unknown();
      this.#failAll(failure as Error);
    }
    for (const each of present) {
      if (result !== undefined) each.see(result);
      else if (this.#watchers.has(each)) each.missed(failure);
    }
    const interval = Math.min(...[...this.#watchers].map((each) => each.intervalMs));
    this.#nextAt = this.context.clock.monotonic() + interval * (1 + JITTER * this.context.random());
    for (const each of this.#watchers) if (!watchers.includes(each)) this.#hasten(each);
  }

  async #look(watchers: readonly Watcher[]): Promise<{ result: PollResult; failure: unknown }> {
    const { signal } = this.#stop;
    const wanted = new Set(watchers.flatMap((each) => [...each.wanted()]));
    const found = new Map<string, Operation>();
    const scans = watchers.some((each) => each.scans);
    if (scans || wanted.size > 1) {
      const open = new Set(watchers);
      const atMost = scans ? SCAN_PAGE : Math.min(SCAN_PAGE, Math.max(20, 2 * wanted.size));
      const collected = new Collected(this.context.route);
      for await (const { items } of this.context.pages(atMost, signal)) {
        for (const each of collected.take(items)) found.set(each.id.toLowerCase(), each);
        for (const each of open) if (each.enough(items)) open.delete(each);
        if (open.size === 0) break;
      }
    }
    const missing = new Set<string>();
    let failure: unknown;
    const single = async (id: string) => {
      try {
        found.set(id, await this.context.get(id, signal));
      } catch (error) {
        if (isApiError(error) && error.kind === "not_found") missing.add(id);
        else failure ??= error;
      }
    };
    await Promise.all([...wanted].filter((id) => !found.has(id)).map(single));
    return { result: { found, missing, incomplete: failure !== undefined }, failure };
  }

  async #pause(): Promise<void> {
    const { clock } = this.context;
    for (;;) {
      this.#expire();
      const now = clock.monotonic();
      if (this.#watchers.size === 0 || now >= this.#nextAt) return;
      this.#wake = new AbortController();
      await withLinked([this.#wake.signal, this.#stop.signal], async (signal) => {
        try {
          await clock.sleep(Math.min(this.#nextAt, this.#firstDeadline()) - now, signal);
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      });
    }
  }

  /** Brings the next poll forward for a new watcher. */
  #hasten({ intervalMs }: Watcher): void {
    this.#nextAt = Math.min(this.#nextAt, this.#polledAt + Math.min(FLOOR_MS, intervalMs));
  }

  /** A poll in flight runs in real time, and must not delay watchers that time out. */
  #watchDeadlines(): void {
    if (this.#watchers.size === 0) return;
    const left = this.#firstDeadline() - this.context.clock.monotonic();
    this.#timer = setTimeout(
      () => {
        this.#expire();
        this.#watchDeadlines();
      },
      Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil(left))),
    );
  }

  #firstDeadline(): number {
    return Math.min(...[...this.#watchers].map((each) => each.deadline));
  }

  #expire(): void {
    const now = this.context.clock.monotonic();
    for (const each of [...this.#watchers]) if (each.deadline <= now) each.expire();
  }

  #failAll(error: Error): void {
    for (const each of [...this.#watchers]) each.fail(error);
  }
}

/** Whether to stop polling after this error, which is number `failures` in a row. */
function isFinal(error: unknown, failures: number): boolean {
  if (isAborted(error)) return true;
  // No later poll would be sent either.
  if (isKeyplaneError(error) && (error.kind === "input" || error.kind === "config")) return true;
  if (!isApiError(error)) return failures >= MAX_FAILED_POLLS;
  if (error.kind === "not_found") return failures >= MAX_UNKNOWN_POLLS;
  const passing = error.kind === "rate_limit" || isInconclusive(error.status ?? 0);
  return passing ? failures >= MAX_FAILED_POLLS : true;
}
