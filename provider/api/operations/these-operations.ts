import { type FailedOperation, OperationFailedError, type PendingOperation } from "../../errors";
import { cleanText, counted } from "../../text";
import type { Operation, OperationRef } from "../records";
import { phaseOf } from "./statuses";
import type { Goal } from "./wait";

/** Specific operations, in any number of projects, have succeeded. */
export class TheseOperations {
  readonly #last = new Map<string, Operation>();

  constructor(private readonly refs: readonly OperationRef[]) {}

  get projects(): ReadonlySet<string> {
    return new Set(this.refs.map(({ projectId }) => projectId));
  }

  /** In the order in which they were given. */
  get ended(): Operation[] {
    return this.refs.flatMap(({ id }) => this.#last.get(id.toLowerCase()) ?? []);
  }

  /** The goal of the wait for those of one project. Its messages name all that have not ended. */
  in(project: string): Goal {
    const ids = () => this.#open.filter((each) => each.projectId === project).map(({ id }) => id.toLowerCase());
    return {
      scans: false,
      ids,
      enough: () => true,
      pending: () => this.#pending(),
      see: (found) => {
        const seen = ids().flatMap((id) => found.get(id) ?? []);
        for (const each of seen) this.#last.set(each.id.toLowerCase(), each);
        const failed = seen.filter(({ status }) => phaseOf(status) === "failure");
        if (failed.length > 0) throw operationFailed(failed, this.#pending());
        return ids().length === 0 ? this.ended : undefined;
      },
    };
  }

  /** An operation that has ended stays ended, whatever a later page says. */
  get #open(): OperationRef[] {
    return this.refs.filter(({ id }) => phaseOf(this.#last.get(id.toLowerCase())?.status ?? "") === "pending");
  }

  #pending(): PendingOperation[] {
    return this.#open.map(({ projectId, id }) => {
      const { action = "", status = "" } = this.#last.get(id.toLowerCase()) ?? {};
      return { projectId, id, action, status };
    });
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
