import type { AccountSettings } from "../../account-settings";
import { getOrCreate } from "../../get-or-create";
import type { Clock, HttpClient } from "../../http";
import { checkId } from "../../ids";
import { type Page, PageSize, paginate } from "../paging";
import { Reader } from "../reader";
import type { Operation, OperationRef, ReadOptions, WaitIdleOptions, WaitOptions } from "../records";
import { IdleProject } from "./idle-project";
import { ProjectPoller } from "./project-poller";
import { readOperationPage, readSingleOperation } from "./read-operations";
import { TheseOperations } from "./these-operations";
import { type WaitTerms, waitFor } from "./wait";

export const LIST_OPERATIONS = "GET /projects/{project_id}/operations";
const GET = "GET /projects/{project_id}/operations/{operation_id}";

interface OperationsFilter extends ReadOptions {
  /** Only those created at or after this ISO 8601 time. */
  readonly since?: string | undefined;
  /** Only those in this status, or one of these. */
  readonly status?: string | readonly string[] | undefined;
  /** Only those of this kind, or one of these. */
  readonly action?: string | readonly string[] | undefined;
  readonly limit?: number | undefined;
  /** Maximum number per request. @default the most that the service allows */
  readonly pageSize?: number | undefined;
}

interface OperationsContext extends Pick<AccountSettings, "pollIntervalMs" | "operationTimeoutMs"> {
  readonly clock: Clock;
  readonly random: () => number;
  readonly warn: (message: string) => void;
  /** The service's wall clock in milliseconds. */
  readonly serviceNow: () => number;
}

export class Operations {
  readonly #size = new PageSize([1000, 100, 10, undefined]);
  readonly #pollers = new Map<string, ProjectPoller>();

  constructor(
    private readonly http: HttpClient,
    private readonly context: OperationsContext,
  ) {}

  /** Reads one operation. Throws an `ApiError` `not_found` if the service does not know it. */
  async get(projectId: string, id: string, options: ReadOptions = {}): Promise<Operation> {
    const path = `/projects/${checkId("project", projectId, "projectId")}/operations/${checkId("operation", id, "operationId")}`;
    const request = { method: "GET", route: GET, path, replay: "safe", signal: options.signal } as const;
    const answer = await this.http.request(request);
    const operation = readSingleOperation(GET, answer);
    if (operation.id.toLowerCase() !== id.toLowerCase()) {
      new Reader(GET, answer).fail("operation.id", "is not the requested id");
    }
    return operation;
  }

  /** A project's operations, newest first, page by page. Holds one page in memory, and reads only as many as needed. */
  async *pages(projectId: string, filter: OperationsFilter = {}): AsyncGenerator<Operation[], void, undefined> {
    const since = filter.since === undefined ? undefined : Date.parse(filter.since);
    const isOld = (each: Operation | undefined) =>
      since !== undefined && each !== undefined && Date.parse(each.createdAt) < since;
    const limit = filter.limit ?? Number.POSITIVE_INFINITY;
    const wanted = matcher(filter);
    const whole = filter.status === undefined && filter.action === undefined;
    // Without a content filter, a page need not be larger than the limit.
    const atMost = whole && Number.isFinite(limit) ? Math.min(limit, filter.pageSize ?? limit) : filter.pageSize;
    let left = limit;
    if (left <= 0) return;
    for await (const { items } of this.#list(projectId, atMost, filter.signal)) {
      const found = items.filter((each) => !isOld(each) && wanted(each)).slice(0, left);
      left -= found.length;
      if (found.length > 0) yield found;
      if (left <= 0 || isOld(items.at(-1))) return;
    }
  }

  /**
   * Waits until these operations have ended, and returns them in the given order. Throws `OperationFailedError` if one
   * failed, `TimeoutError` with the pending ones, an error of kind `not_found` if one stays unknown, or `AbortedError`.
   * All waits of a process share their polls: one list per project and interval.
   */
  async wait(refs: readonly OperationRef[], options: WaitOptions = {}): Promise<Operation[]> {
    for (const ref of refs) {
      checkId("project", ref.projectId, "projectId");
      checkId("operation", ref.id, "id");
    }
    const goal = new TheseOperations(refs);
    const terms = this.#terms(options);
    // The first failure ends the waits of the other projects.
    const others = new AbortController();
    const signals = [...terms.signals, others.signal];
    try {
      const waits = Array.from(goal.projects, (id) => waitFor(goal.in(id), this.#poller(id), { ...terms, signals }));
      await Promise.all(waits);
    } finally {
      others.abort();
    }
    return goal.ended;
  }

  /**
   * Waits until the project has no pending operation except ignored ones. Returns those that were pending at the start,
   * or came during the wait, and have since succeeded. Throws the same errors as `wait`.
   */
  async waitUntilIdle(projectId: string, options: WaitIdleOptions = {}): Promise<Operation[]> {
    checkId("project", projectId, "projectId");
    const goal = new IdleProject(options, this.context.serviceNow);
    return waitFor(goal, this.#poller(projectId), this.#terms(options));
  }

  #terms(options: WaitOptions): WaitTerms {
    return {
      clock: this.context.clock,
      timeoutMs: options.timeoutMs ?? this.context.operationTimeoutMs,
      pollIntervalMs: options.pollIntervalMs ?? this.context.pollIntervalMs,
      signals: [this.http.signal, options.signal],
      onProgress: options.onProgress,
      warn: options.onWarning ?? this.context.warn,
    };
  }

  #poller(projectId: string): ProjectPoller {
    const create = () =>
      new ProjectPoller(projectId, {
        clock: this.context.clock,
        random: this.context.random,
        route: LIST_OPERATIONS,
        pages: (atMost, signal) => this.#list(projectId, atMost, signal),
        get: (id, signal) => this.get(projectId, id, { signal }),
      });
    return getOrCreate(this.#pollers, projectId, create);
  }

  #list(projectId: string, atMost: number | undefined, signal: AbortSignal | undefined) {
    const path = `/projects/${checkId("project", projectId, "projectId")}/operations`;
    return paginate<Operation, Page<Operation>>({
      route: LIST_OPERATIONS,
      size: this.#size,
      atMost,
      idOf: (operation) => operation.id,
      overlap: (cursor, last) => overlapping(cursor, last.createdAt),
      fetch: async (cursor, limit) => {
        const query = { limit, cursor };
        const request = { method: "GET", route: LIST_OPERATIONS, path, query, replay: "safe", signal } as const;
        const answer = await this.http.request(request);
        return readOperationPage(LIST_OPERATIONS, answer);
      },
    });
  }
}

function matcher({ status, action }: OperationsFilter): (operation: Operation) => boolean {
  const statuses = status === undefined ? undefined : new Set([status].flat());
  const actions = action === undefined ? undefined : new Set([action].flat());
  return (each) => (statuses?.has(each.status) ?? true) && (actions?.has(each.action) ?? true);
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{1,9})Z$/;

/**
 * The cursor after an item, moved to a slightly later time, so that the next page repeats items with the same
 * timestamp. A service that pages by timestamp alone would skip them after the end of a page.
 * Undefined if the cursor is not the item's time with fractions of a second.
 */
function overlapping(cursor: string, createdAt: string): string | undefined {
  const [, seconds, fraction] = TIMESTAMP.exec(cursor) ?? [];
  if (seconds === undefined || fraction === undefined || !createdAt.startsWith(seconds)) return undefined;
  const later = String(Number(fraction) + 1).padStart(fraction.length, "0");
  // A carry into the seconds is too rare to handle: such a cursor is used unchanged.
  return later.length > fraction.length ? undefined : `${seconds}.${later}Z`;
}
