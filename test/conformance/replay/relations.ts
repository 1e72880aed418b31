import { isDeepStrictEqual } from "node:util";
import { isMap, type Json } from "../../../testing/engine/state/property";
import { UNKNOWN } from "../../../testing/engine/state/values";
import type { Call, Case, StateRow, StepRow } from "./case";

/** Whether the order of two items is fixed: they belong to the same resource, or one resource depends on the other. */
export type Related<T> = (a: T, b: T) => boolean;

/** The orders that are fixed among the calls and rows of a step. */
export interface Relations {
  readonly calls: Related<Call>;
  readonly steps: Related<StepRow>;
  readonly resources: Related<StateRow>;
}

const DELETIONS: ReadonlySet<string> = new Set(["delete", "delete-replaced", "discard", "discard-replaced"]);
const REFRESHING: ReadonlySet<string> = new Set(["read", "diff"]);

/** The orders that are fixed at a step of a case. */
export function relationsAt(recorded: Case, index: number): Relations {
  const { command, args = [], expect } = recorded.steps[index] ?? {};
  const before = recorded.steps[index - 1]?.expect.state.resources ?? [];
  const after = expect?.state.resources ?? [];
  const all = recorded.steps.flatMap((step) => step.expect.state.resources);
  const near = [...before, ...after];
  const steps = expect?.steps ?? [];

  const renamed = new Set(before.flatMap((row) => renamesOf(row, after)));
  const isSame = (urn: string, other: string) => urn === other || renamed.has(`${urn} ${other}`);
  // The program may want a failed resource that has not changed to differ from its state, so only the dependencies of
  // other resources on it count.
  const failed = new Set(steps.filter((row) => row.failed && !DELETIONS.has(row.op)).map((row) => row.urn));
  const isLeft = (row: StateRow) => failed.has(row.urn) && before.some((old) => isDeepStrictEqual(old, row));
  const wanted = dependenciesIn(withStrangers(after, all).filter((row) => !isLeft(row) && row.delete !== true));
  const deleted = new Set(steps.filter((row) => DELETIONS.has(row.op)).map((row) => row.urn));
  const condemned = dependenciesIn(
    before.filter((row) => deleted.has(row.urn)),
    deleted,
  );
  const known = dependenciesIn(withStrangers(near, all));
  const stored = dependenciesIn(after);

  // Deletions follow the previous state, and everything else follows the program. Deletions come last, except those
  // before a replacement.
  const first = new Set(steps.filter((row, i) => isDeletedFirst(row, steps.slice(i))).map((row) => row.urn));
  const related = (urn: string, other: string, deletes: boolean, otherDeletes: boolean) => {
    if (isSame(urn, other) || isStack(urn) || isStack(other)) return true;
    if (deletes && otherDeletes) return dependOnEachOther(condemned, urn, other);
    const isLast = (deletes && !first.has(urn)) || (otherDeletes && !first.has(other));
    return dependOnEachOther(isLast ? known : wanted, urn, other);
  };
  const candidates = (call: Call) => urnsOf(call, near, all);
  return {
    calls: (a, b) => {
      const [id, other] = [idOf(a), idOf(b)];
      if (id !== undefined && id === other) return true;
      // All resources are refreshed at once, and the consequences of a deletion are requested in any order.
      const refreshes = command === "refresh" || args.includes("--refresh");
      if (refreshes && REFRESHING.has(a.method) && REFRESHING.has(b.method)) return false;
      if (asksForUnknowns(a) && asksForUnknowns(b)) return false;
      const [urns, others] = [candidates(a), candidates(b)];
      if (urns.length === 0 || others.length === 0) return labelOf(a) === labelOf(b);
      const [deletes, otherDeletes] = [a.method === "delete", b.method === "delete"];
      // A resource and its pending deletions are deleted at once.
      if (deletes && otherDeletes && urns.some((urn) => others.includes(urn))) return false;
      return urns.every((urn) => others.every((twin) => related(urn, twin, deletes, otherDeletes)));
    },
    steps: (a, b) => {
      const ofRefresh = (row: StepRow) => !isStack(row.urn) && (command === "refresh" || row.op === "refresh");
      const [deletes, otherDeletes] = [DELETIONS.has(a.op), DELETIONS.has(b.op)];
      if (ofRefresh(a) && ofRefresh(b)) return false;
      if (a.urn === b.urn) return !(deletes && otherDeletes);
      return related(a.urn, b.urn, deletes, otherDeletes);
    },
    resources: (a, b) => a.urn === b.urn || dependOnEachOther(stored, a.urn, b.urn),
  };
}

/** Whether a row is a deletion that comes before its replacement. */
function isDeletedFirst(row: StepRow, rest: readonly StepRow[]): boolean {
  return row.op === "delete-replaced" && rest.some((other) => other.urn === row.urn && other.op === "replace");
}

/**
 * The URNs that a call may be about. A call names its resource by an id, or by a label that several resources may share.
 */
function urnsOf(call: Call, near: readonly StateRow[], all: readonly StateRow[]): readonly string[] {
  const [id, label] = [idOf(call), labelOf(call)];
  const labelled = (rows: readonly StateRow[]) => rows.filter(({ inputs }) => isMap(inputs) && inputs.label === label);
  const byId = near.filter((row) => id !== undefined && row.id === id);
  const found = [byId, labelled(near), labelled(all)].find((rows) => rows.length > 0) ?? [];
  return [...new Set(found.map((row) => row.urn))];
}

/** Whether a call requests the consequences of another resource's deletion. */
function asksForUnknowns({ method, args }: Call): boolean {
  return method === "diff" && JSON.stringify(args.at(-1)).includes(UNKNOWN);
}

/** The rows, and additional ones for resources without a row: those that are only previewed, or deleted at once. */
function withStrangers(rows: readonly StateRow[], all: readonly StateRow[]): StateRow[] {
  const known = new Set(rows.map((row) => row.urn));
  return [...rows, ...all.filter((row) => !known.has(row.urn))];
}

/** A resource whose id has another URN afterwards is the same resource. */
function renamesOf({ id, urn }: StateRow, after: readonly StateRow[]): string[] {
  if (id === undefined) return [];
  return after.filter((row) => row.id === id).flatMap((row) => [`${urn} ${row.urn}`, `${row.urn} ${urn}`]);
}

/** The id that a call is about. A check and a create have none. */
function idOf({ args: [id] }: Call): string | undefined {
  return typeof id === "string" ? id : undefined;
}

/** The label of the resource a call is about: `label` of the last properties given. */
function labelOf({ args }: Call): string {
  const properties = args.findLast((arg) => isMap(arg) && "label" in arg);
  return isMap(properties) ? String(properties.label) : "";
}

/** Every resource is below the stack, so that the stack's own position is fixed. */
function isStack(urn: string): boolean {
  return urn.startsWith("pulumi:pulumi:Stack::");
}

type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

function dependOnEachOther(dependencies: Dependencies, urn: string, other: string): boolean {
  return dependencies.get(urn)?.has(other) === true || dependencies.get(other)?.has(urn) === true;
}

/**
 * Everything that each resource depends on, directly or indirectly. If `among` is given, only through those resources.
 */
function dependenciesIn(rows: readonly StateRow[], among?: ReadonlySet<string>): Dependencies {
  const direct = new Map<string, Set<string>>();
  for (const row of rows) {
    const fields = [row.parent, row.dependencies, row.propertyDependencies, row.deletedWith, row.replaceWith];
    const urns = fields.flatMap(textsIn).filter((urn) => among?.has(urn) ?? true);
    direct.set(row.urn, new Set([...(direct.get(row.urn) ?? []), ...urns]));
  }
  return new Map([...direct.keys()].map((urn) => [urn, reachable(urn, direct)]));
}

function reachable(from: string, direct: Dependencies): Set<string> {
  const found = new Set<string>();
  const open = [from];
  for (let urn = open.pop(); urn !== undefined; urn = open.pop()) {
    for (const next of direct.get(urn) ?? []) {
      if (!found.has(next)) open.push(next);
      found.add(next);
    }
  }
  return found;
}

function textsIn(value: Json | undefined): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMap(value) ? Object.values(value).flatMap(textsIn) : [];
}
