import type { PendingOperation } from "../../errors";
import type { Operation, WaitIdleOptions } from "../records";
import { phaseOf } from "./statuses";
import { operationFailed } from "./these-operations";
import type { Goal } from "./wait";

/** The platform's background work, which a wait for a project ignores by default. */
const BACKGROUND_ACTIONS: readonly string[] = ["check_availability", "suspend_compute"];

/** How far back to look for pending operations, in milliseconds. */
const DEFAULT_HORIZON_MS = 24 * 60 * 60 * 1000;

/** A project has no pending operation. Returns those that were pending at first, or came since, and have succeeded. */
export class IdleProject implements Goal {
  readonly scans = true;
  readonly #seen = new Set<string>();
  readonly #pending = new Map<string, Operation>();
  readonly #succeeded: Operation[] = [];
  readonly #ignored: ReadonlySet<string>;
  readonly #horizonMs: number;
  /** When the newest operation of the first scan was created. Another wait can look back further than this one. */
  #newest: number | undefined;

  /** @param serviceNow the service's wall clock in milliseconds, for the age of operations */
  constructor(
    { ignoreActions = BACKGROUND_ACTIONS, horizonMs = DEFAULT_HORIZON_MS }: WaitIdleOptions,
    private readonly serviceNow: () => number,
  ) {
    this.#ignored = new Set(ignoreActions);
    this.#horizonMs = horizonMs;
  }

  ids(): Iterable<string> {
    return this.#pending.keys();
  }

  /**
   * The first scan covers everything that could be pending: it stops at a page on which every operation has ended and
   * is older than the horizon. Later scans stop at known operations, because new ones come first.
   */
  enough(page: readonly Operation[]): boolean {
    if (this.#newest !== undefined) return page.some((each) => this.#seen.has(each.id.toLowerCase()));
    // Computed here, because the service's clock is known only after an answer.
    const oldest = this.serviceNow() - this.#horizonMs;
    return page.every((each) => !this.#counts(each) && Date.parse(each.createdAt) < oldest);
  }

  pending(): PendingOperation[] {
    return [...this.#pending.values()].map(({ projectId, id, action, status }) => ({ projectId, id, action, status }));
  }

  see(found: ReadonlyMap<string, Operation>): Operation[] | undefined {
    const ended: Operation[] = [];
    for (const [id, operation] of found) {
      const isNew = !this.#seen.has(id);
      this.#seen.add(id);
      if (this.#counts(operation)) {
        if (isNew || this.#pending.has(id)) this.#pending.set(id, operation);
      } else if (this.#pending.delete(id) || (isNew && this.#isLater(operation))) ended.push(operation);
    }
    this.#newest ??= Math.max(...Array.from(found.values(), ({ createdAt }) => Date.parse(createdAt)));
    const failed = ended.filter(({ status }) => phaseOf(status) === "failure");
    if (failed.length > 0) throw operationFailed(failed, this.pending());
    this.#succeeded.push(...ended);
    return this.#pending.size === 0 ? this.#succeeded : undefined;
  }

  /** Whether an operation was created after the first scan. Those that had ended by then do not count. */
  #isLater({ createdAt, action }: Operation): boolean {
    return this.#newest !== undefined && Date.parse(createdAt) >= this.#newest && !this.#ignored.has(action);
  }

  #counts({ action, status }: Operation): boolean {
    return !this.#ignored.has(action) && phaseOf(status) === "pending";
  }
}
