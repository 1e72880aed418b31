import { randomUUID } from "node:crypto";
import type { OperationEntity } from "./entities";

/** The course of an operation. */
export interface OperationCourse {
  /**
   * Milliseconds in `scheduling`. @default 1000 (0 for `create_branch` and `create_timeline`, which start as running)
   */
  schedulingMs?: number;
  /** Milliseconds in `running`. `null` means until a test ends it. @default 2000 */
  runningMs?: number | null;
  /** Status in which it ends: any text. @default "finished" */
  outcome?: string;
}

/** What an operation acts on. */
export interface OperationSubject {
  projectId: string;
  branchId?: string | null;
  endpointId?: string | null;
  action: string;
}

/** Status of an operation at one time, and values that depend on it. */
export interface OperationStanding {
  status: string;
  /** Epoch milliseconds of the control plane's clock. */
  updatedAt: number;
  /** Milliseconds from creation to the end, or until now. */
  durationMs: number;
  failuresCount: number;
}

/**
 * How operations with the same creation time are paged. `unique`: each has its own position. `skipped`: they share a
 * position, and those after the end of a page are lost. `repeated`: they share a position, and the next page repeats
 * them.
 */
export type TiedOperations = "unique" | "skipped" | "repeated";

const bornRunning = new Set(["create_branch", "create_timeline"]);
const failures = new Set(["failed", "error"]);

/** Returns the status of an operation at a time on the clock's timeline. */
export function standingOf(operation: OperationEntity, timeline: number): OperationStanding {
  const { bornAt, createdAt, schedulingMs, runningMs, outcome } = operation;
  const age = timeline - bornAt;
  const end = runningMs === null ? Number.POSITIVE_INFINITY : schedulingMs + runningMs;
  if (age >= end) {
    const failuresCount = failures.has(outcome) ? 1 : 0;
    return { status: outcome, updatedAt: createdAt + end, durationMs: end, failuresCount };
  }
  const running = age >= schedulingMs;
  const updatedAt = createdAt + (running ? schedulingMs : 0);
  return { status: running ? "running" : "scheduling", updatedAt, durationMs: Math.max(age, 0), failuresCount: 0 };
}

/** The operations of all projects, each project's in creation order. */
export class Operations {
  private byId = new Map<string, OperationEntity>();
  private byProject = new Map<string, OperationEntity[]>();

  /**
   * Starts operations with the same creation time.
   * @param bornAt - Creation time on the clock's timeline.
   * @param createdAt - Creation time as shown to clients.
   */
  start(subjects: (OperationSubject & OperationCourse)[], bornAt: number, createdAt: number): OperationEntity[] {
    return subjects.map((subject) =>
      this.index({
        id: randomUUID(),
        projectId: subject.projectId,
        branchId: subject.branchId ?? null,
        endpointId: subject.endpointId ?? null,
        action: subject.action,
        bornAt,
        createdAt,
        position: createdAt * 1000,
        schedulingMs: subject.schedulingMs ?? (bornRunning.has(subject.action) ? 0 : 1000),
        runningMs: subject.runningMs === undefined ? 2000 : subject.runningMs,
        outcome: subject.outcome ?? "finished",
      }),
    );
  }

  /** Returns the operation with this id in this project. */
  get(projectId: string, id: string): OperationEntity | undefined {
    const operation = this.byId.get(id);
    return operation?.projectId === projectId ? operation : undefined;
  }

  /** Returns the operation with this id in any project. */
  find(id: string): OperationEntity | undefined {
    return this.byId.get(id);
  }

  /** Whether an operation of the project is still pending. */
  isBusy(projectId: string, timeline: number): boolean {
    return this.of(projectId).some(({ bornAt, schedulingMs, runningMs }) => {
      return runningMs === null || timeline < bornAt + schedulingMs + runningMs;
    });
  }

  /**
   * Returns one page of a project's operations, newest first.
   * @param after - Position of the last operation returned. If omitted, starts with the newest.
   * @param ties - How operations with the same creation time are paged.
   */
  page(projectId: string, limit: number, after: number | undefined, ties: TiedOperations): OperationEntity[] {
    const all = this.of(projectId);
    let end = all.length;
    if (after !== undefined) {
      let low = 0;
      while (low < end) {
        const middle = (low + end) >>> 1;
        const place = placeOf(all[middle], ties);
        if (ties === "repeated" ? place <= after : place < after) low = middle + 1;
        else end = middle;
      }
      end = low;
    }
    return all.slice(Math.max(end - limit, 0), end).reverse();
  }

  /** Returns what the data file stores. */
  save(): OperationEntity[] {
    return [...this.byId.values()];
  }

  /** Loads the operations of a data file. */
  load(operations: OperationEntity[]): void {
    this.byId.clear();
    this.byProject.clear();
    for (const operation of operations) this.index(operation);
  }

  private of(projectId: string): OperationEntity[] {
    return this.byProject.get(projectId) ?? [];
  }

  private index(operation: OperationEntity): OperationEntity {
    const siblings = this.of(operation.projectId);
    this.byId.set(operation.id, operation);
    this.byProject.set(operation.projectId, siblings);
    let at = siblings.length;
    while (at > 0 && (siblings[at - 1]?.createdAt ?? 0) > operation.createdAt) at -= 1;
    siblings.splice(at, 0, operation);
    // Strictly increasing positions, so that every operation has its own position in the list.
    for (let previous = siblings[at - 1]; at < siblings.length; at += 1) {
      const current = siblings[at];
      if (!current || !previous || current.position > previous.position) break;
      current.position = previous.position + 1;
      previous = current;
    }
    return operation;
  }
}

/**
 * An operation's position in the list, in epoch microseconds: its own, or the one shared with operations of the same
 * creation time.
 */
export function placeOf(operation: OperationEntity | undefined, ties: TiedOperations): number {
  if (operation === undefined) return 0;
  return ties === "unique" ? operation.position : operation.createdAt * 1000;
}
