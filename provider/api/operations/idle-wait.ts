import { ApiError, type PendingOperation } from "../../errors";
import type { IdleResult, Operation } from "../records";
import { MAX_MISSES, operationFailed } from "./operations-wait";
import type { ProjectPoller, Sighting, Watcher } from "./project-poller";
import { standingOf } from "./statuses";
import { Wait, type WaitTerms } from "./wait";

/** The platform's own background work, which no one who waits for a project means. */
export const BACKGROUND_ACTIONS: readonly string[] = ["check_availability", "suspend_compute"];

/** How far back to look for pending operations, in milliseconds. */
export const DEFAULT_HORIZON_MS = 24 * 60 * 60 * 1000;

/** The terms of waiting until a project is idle. */
export interface IdleWaitOptions extends WaitTerms {
  readonly ignoreActions: readonly string[] | undefined;
  readonly horizonMs: number | undefined;
}

/** Waits until a project has no pending operation. */
export class IdleWait extends Wait<IdleResult> implements Watcher {
  readonly scans = true;
  readonly #seen = new Set<string>();
  readonly #pending = new Map<string, Operation>();
  readonly #misses = new Map<string, number>();
  readonly #waitedFor: Operation[] = [];
  readonly #ignored: ReadonlySet<string>;
  readonly #horizonMs: number;
  #first = true;

  /** @param serviceNow the service's wall clock in milliseconds, by which the age of operations is judged */
  constructor(
    readonly projectId: string,
    options: IdleWaitOptions,
    private readonly serviceNow: () => number,
  ) {
    super(options);
    this.#ignored = new Set(options.ignoreActions ?? BACKGROUND_ACTIONS);
    this.#horizonMs = options.horizonMs ?? DEFAULT_HORIZON_MS;
  }

  /** Begins; see `Operations.waitUntilIdle`. */
  run(poller: ProjectPoller): Promise<IdleResult> {
    return this.start([{ poller, watcher: this }]);
  }

  wanted(): Iterable<string> {
    return this.#pending.keys();
  }

  /**
   * At first everything that could be pending: up to a page on which all has ended and is older than the horizon.
   * Later only what is new, which stands before what was seen.
   */
  enough(page: readonly Operation[]): boolean {
    if (!this.#first) return page.some((each) => this.#seen.has(each.id.toLowerCase()));
    // Only here, for the service's clock is known by its answer.
    const oldest = this.serviceNow() - this.#horizonMs;
    return page.every((each) => !this.#counts(each) && Date.parse(each.createdAt) < oldest);
  }

  see(sighting: Sighting): void {
    this.polled(sighting, () => this.#see(sighting));
  }

  protected pending(): PendingOperation[] {
    return [...this.#pending.values()].map(({ projectId, id, action, status }) => ({ projectId, id, action, status }));
  }

  #see({ found, missing }: Sighting): void {
    const failed: Operation[] = [];
    for (const [id, operation] of found) {
      const isNew = !this.#seen.has(id);
      this.#seen.add(id);
      if (this.#ignored.has(operation.action)) continue;
      this.warnIfUnknown(operation);
      // What had ended before the wait began does not count; what came and went since does.
      if (!this.#pending.has(id) && !(isNew && (!this.#first || this.#counts(operation)))) continue;
      if (this.#counts(operation)) {
        this.#pending.set(id, operation);
        continue;
      }
      this.#pending.delete(id);
      if (standingOf(operation.status) === "failure") failed.push(operation);
      else this.#waitedFor.push(operation);
    }
    for (const id of missing) this.#miss(id);
    this.#first = false;
    if (failed.length > 0) this.fail(operationFailed(failed, this.pending()));
    else if (this.#pending.size === 0) {
      this.succeed({ waitedFor: this.#waitedFor, elapsedMs: this.elapsedMs, polls: this.polls });
    }
  }

  #counts({ action, status }: Operation): boolean {
    return !this.#ignored.has(action) && standingOf(status) === "pending";
  }

  #miss(id: string): void {
    if (!this.#pending.has(id)) return;
    const misses = (this.#misses.get(id) ?? 0) + 1;
    this.#misses.set(id, misses);
    if (misses < MAX_MISSES) return;
    throw new ApiError("not_found", `operation ${id} no longer exists. Run the command again`, { status: 404 }, "");
  }
}
