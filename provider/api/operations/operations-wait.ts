import { type FailedOperation, OperationFailedError, type PendingOperation } from "../../errors";
import { cleanText, counted } from "../../text";
import type { Operation, OperationRef } from "../records";
import type { PollResult, ProjectPoller, Watcher } from "./project-poller";
import { phaseOf } from "./statuses";
import { Wait, type WaitTerms } from "./wait";

/** Waits for specific operations, in any number of projects. */
export class OperationsWait extends Wait {
  readonly #ended = new Map<string, Operation>();
  readonly #last = new Map<string, Operation>();

  constructor(
    private readonly refs: readonly OperationRef[],
    terms: WaitTerms,
  ) {
    super(terms);
  }

  run(pollerOf: (projectId: string) => ProjectPoller): Promise<Operation[]> {
    const projects = [...new Set(this.refs.map((each) => each.projectId))];
    return this.start(projects.map((id) => ({ poller: pollerOf(id), watcher: this.#watcher(id) })));
  }

  /** The project of the first operation that has not ended. */
  get projectId(): string {
    return this.pending()[0]?.projectId ?? "";
  }

  protected pending(): PendingOperation[] {
    return this.refs.flatMap(({ projectId, id }) => {
      if (this.#ended.has(id.toLowerCase())) return [];
      const { action = "", status = "" } = this.#last.get(id.toLowerCase()) ?? {};
      return [{ projectId, id, action, status }];
    });
  }

  #watcher(projectId: string): Watcher {
    const ids = new Set(this.refs.filter((each) => each.projectId === projectId).map(({ id }) => id.toLowerCase()));
    const { deadline, intervalMs } = this;
    return {
      deadline,
      intervalMs,
      scans: false,
      wanted: () => [...ids].filter((id) => !this.#ended.has(id)),
      enough: () => true,
      see: (result) => this.polled(result, () => this.#see(ids, result)),
      missed: (reason) => this.missed(reason),
      fail: (error) => this.fail(error),
      expire: () => this.expire(),
    };
  }

  #see(ids: ReadonlySet<string>, { found, missing }: PollResult): void {
    for (const id of ids) {
      // An operation that has ended stays ended, whatever a later page says.
      if (this.#ended.has(id)) continue;
      const operation = found.get(id);
      if (operation !== undefined) this.#note(id, operation);
      else if (missing.has(id)) {
        this.miss(id, `operation ${id} was not found. It may be too old, or belong to another project. Check its id`);
      }
    }
    const failed = [...this.#ended.values()].filter((each) => phaseOf(each.status) === "failure");
    const pending = this.pending();
    if (failed.length > 0) this.fail(operationFailed(failed, pending));
    else if (pending.length === 0)
      this.succeed(this.refs.flatMap((each) => this.#ended.get(each.id.toLowerCase()) ?? []));
  }

  #note(id: string, operation: Operation): void {
    this.#last.set(id, operation);
    this.misses.delete(id);
    this.warnIfUnknown(operation);
    if (phaseOf(operation.status) !== "pending") this.#ended.set(id, operation);
  }
}

export function operationFailed(
  operations: readonly Operation[],
  pending: readonly PendingOperation[],
): OperationFailedError {
  const failed = operations.map(({ projectId, id, action, status, failuresCount }): FailedOperation => {
    return { projectId, id, action, status, failuresCount };
  });
  const named = failed.slice(0, 5).map(({ action, id, status, failuresCount, projectId }) => {
    const times = counted(failuresCount, "failure");
    return `${cleanText(action, 60)} (${id}) of project ${projectId} ended with status ${cleanText(status, 40)} after ${times}`;
  });
  const more = failed.length > 5 ? `, and ${failed.length - 5} more` : "";
  return new OperationFailedError(
    `${named.join(", ")}${more}. Look at the project's operations in the service's console`,
    failed,
    pending,
  );
}
