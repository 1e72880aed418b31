import { randomUUID } from "node:crypto";
import type { OperationEntity } from "./entities";

/** How an operation is to go on. */
export interface OperationCourse {
  /** Milliseconds in `scheduling`. @default 1000 (0 for `create_branch` and `create_timeline`, which are born running) */
  schedulingMs?: number;
  /** Milliseconds in `running`; `null` = until ended by hand. @default 2000 */
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

/** Status of an operation at one moment, with what follows from it. */
export interface OperationStanding {
  status: string;
  /** Epoch milliseconds by the plane's clock. */
  updatedAt: number;
  /** Milliseconds from birth to the end, or until now. */
  durationMs: number;
  failuresCount: number;
}

/**
 * How operations that were born together are paged: `unique` = each has its own place; `skipped` = they share one, and
 * those behind a page's border are lost; `repeated` = they share one, and are given again on the next page.
 */
export type TiedOperations = "unique" | "skipped" | "repeated";

const bornRunning = new Set(["create_branch", "create_timeline"]);
const failures = new Set(["failed", "error"]);

/** Where an operation stands at a moment of the clock's timeline. */
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

/** The operations of all projects, each project's in order of birth. */
export class Operations {
  private byId = new Map<string, OperationEntity>();
  private byProject = new Map<string, OperationEntity[]>();

  /**
   * Starts operations that are born together.
   * @param bornAt - Birth on the clock's timeline.
   * @param createdAt - Birth as shown to clients.
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

  /** The operation with this id in this project. */
  get(projectId: string, id: string): OperationEntity | undefined {
    const operation = this.byId.get(id);
    return operation?.projectId === projectId ? operation : undefined;
  }

  /** The operation with this id in any project. */
  find(id: string): OperationEntity | undefined {
    return this.byId.get(id);
  }

  /** Whether an operation of the project has not ended. */
  isBusy(projectId: string, timeline: number): boolean {
    return this.of(projectId).some(({ bornAt, schedulingMs, runningMs }) => {
      return runningMs === null || timeline < bornAt + schedulingMs + runningMs;
    });
  }

  /**
   * One page of a project's operations, newest first.
   * @param after - Place of the last operation already given; none = from the newest.
   * @param ties - How operations born together are paged.
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

  /** What the data file keeps. */
  save(): OperationEntity[] {
    return [...this.byId.values()];
  }

  /** Takes the operations of a data file. */
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
    // Strictly rising positions, so that every operation has its own place in the list.
    for (let previous = siblings[at - 1]; at < siblings.length; at += 1) {
      const current = siblings[at];
      if (!current || !previous || current.position > previous.position) break;
      current.position = previous.position + 1;
      previous = current;
    }
    return operation;
  }
}

/** An operation's place in the list, in epoch microseconds: its own, or the one it shares with those born with it. */
export function placeOf(operation: OperationEntity | undefined, ties: TiedOperations): number {
  if (operation === undefined) return 0;
  return ties === "unique" ? operation.position : operation.createdAt * 1000;
}
