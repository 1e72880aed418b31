import type { PendingOperation } from "../../errors";
import type { Operation, WaitIdleOptions } from "../records";
import { operationFailed } from "./operations-wait";
import type { PollResult, ProjectPoller, Watcher } from "./project-poller";
import { phaseOf } from "./statuses";
import { Wait, type WaitTerms } from "./wait";

/** The platform's background work, which a wait for a project ignores by default. */
const BACKGROUND_ACTIONS: readonly string[] = ["check_availability", "suspend_compute"];

/** How far back to look for pending operations, in milliseconds. */
const DEFAULT_HORIZON_MS = 24 * 60 * 60 * 1000;

/** Waits until a project has no pending operation. */
export class IdleWait extends Wait implements Watcher {
  readonly scans = true;
  readonly #seen = new Set<string>();
  readonly #pending = new Map<string, Operation>();
  readonly #waitedFor: Operation[] = [];
  readonly #ignored: ReadonlySet<string>;
  readonly #horizonMs: number;
  #first = true;
  /** When the newest operation of the first scan was created. Another wait can look back further than this one. */
  #newest = Number.NEGATIVE_INFINITY;

  /** @param serviceNow the service's wall clock in milliseconds, for the age of operations */
  constructor(
    readonly projectId: string,
    options: WaitTerms & Pick<WaitIdleOptions, "ignoreActions" | "horizonMs">,
    private readonly serviceNow: () => number,
  ) {
    super(options);
    this.#ignored = new Set(options.ignoreActions ?? BACKGROUND_ACTIONS);
    this.#horizonMs = options.horizonMs ?? DEFAULT_HORIZON_MS;
  }

  run(poller: ProjectPoller): Promise<Operation[]> {
    return this.start([{ poller, watcher: this }]);
  }

  wanted(): Iterable<string> {
    return this.#pending.keys();
  }

  /**
   * The first scan covers everything that could be pending: it stops at a page on which every operation has ended and
   * is older than the horizon. Later scans stop at known operations, because new ones come first.
   */
  enough(page: readonly Operation[]): boolean {
    if (!this.#first) return page.some((each) => this.#seen.has(each.id.toLowerCase()));
    // Computed here, because the service's clock is known only after an answer.
    const oldest = this.serviceNow() - this.#horizonMs;
    return page.every((each) => !this.#counts(each) && Date.parse(each.createdAt) < oldest);
  }

  see(result: PollResult): void {
    this.polled(result, () => this.#see(result));
  }

  protected pending(): PendingOperation[] {
    return [...this.#pending.values()].map(({ projectId, id, action, status }) => ({ projectId, id, action, status }));
  }

  #see({ found, missing }: PollResult): void {
    const failed: Operation[] = [];
    for (const [id, operation] of found) {
      const isNew = !this.#seen.has(id);
      this.#seen.add(id);
      if (this.#ignored.has(operation.action)) continue;
      this.warnIfUnknown(operation);
      // Operations that ended before the wait began do not count. Operations that came and ended since do.
      const created = Date.parse(operation.createdAt);
      if (this.#first) this.#newest = Math.max(this.#newest, created);
      const isLater = !this.#first && created >= this.#newest;
      if (!this.#pending.has(id) && !(isNew && (isLater || this.#counts(operation)))) continue;
      this.misses.delete(id);
      if (this.#counts(operation)) {
        this.#pending.set(id, operation);
        continue;
      }
      this.#pending.delete(id);
      if (phaseOf(operation.status) === "failure") failed.push(operation);
      else this.#waitedFor.push(operation);
    }
    for (const id of missing) {
      if (this.#pending.has(id)) this.miss(id, `operation ${id} no longer exists. Run the command again`);
    }
    this.#first = false;
    if (failed.length > 0) this.fail(operationFailed(failed, this.pending()));
    else if (this.#pending.size === 0) this.succeed(this.#waitedFor);
  }

  #counts({ action, status }: Operation): boolean {
    return !this.#ignored.has(action) && phaseOf(status) === "pending";
  }
}
