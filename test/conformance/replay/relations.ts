import { isDeepStrictEqual } from "node:util";
import { isMap, type Json } from "../../../testing/engine/property";
import { UNKNOWN } from "../../../testing/engine/values";
import type { Call, Case, StateRow, StepRow } from "./case";

/** Whether the order between two things is fixed: they are of one resource, or of one that depends on the other. */
export type Related<T> = (a: T, b: T) => boolean;

/** Which orders are fixed in what a step of a case did. */
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
  // What failed and was left as it was may be wanted otherwise than its state says: only what others say of it counts.
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

  // Deletions go by the state before, all else by what the program wants. Deletions come last, but for those before a
  // replacement.
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
      // All resources are refreshed at once, and what would follow from a deletion is asked in any order.
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

/** Whether a row deletes what is only then replaced. */
function isDeletedFirst(row: StepRow, rest: readonly StepRow[]): boolean {
  return row.op === "delete-replaced" && rest.some((other) => other.urn === row.urn && other.op === "replace");
}

/** The URNs a call may be about. It names its resource by an id, or only by a label, which several may share. */
function urnsOf(call: Call, near: readonly StateRow[], all: readonly StateRow[]): readonly string[] {
  const [id, label] = [idOf(call), labelOf(call)];
  const labelled = (rows: readonly StateRow[]) => rows.filter(({ inputs }) => isMap(inputs) && inputs.label === label);
  const byId = near.filter((row) => id !== undefined && row.id === id);
  const found = [byId, labelled(near), labelled(all)].find((rows) => rows.length > 0) ?? [];
  return [...new Set(found.map((row) => row.urn))];
}

/** Whether a call asks what would follow from the deletion of another resource. */
function asksForUnknowns({ method, args }: Call): boolean {
  return method === "diff" && JSON.stringify(args.at(-1)).includes(UNKNOWN);
}

/** The rows, and those of resources that are not among them: only previewed, or deleted at once. */
function withStrangers(rows: readonly StateRow[], all: readonly StateRow[]): StateRow[] {
  const known = new Set(rows.map((row) => row.urn));
  return [...rows, ...all.filter((row) => !known.has(row.urn))];
}

/** A resource whose id has another URN afterwards is the same resource. */
function renamesOf({ id, urn }: StateRow, after: readonly StateRow[]): string[] {
  if (id === undefined) return [];
  return after.filter((row) => row.id === id).flatMap((row) => [`${urn} ${row.urn}`, `${row.urn} ${urn}`]);
}

/** The id a call is about; a check and a create have none. */
function idOf({ args: [id] }: Call): string | undefined {
  return typeof id === "string" ? id : undefined;
}

/** The label of the resource a call is about: `label` of the last properties given. */
function labelOf({ args }: Call): string {
  const properties = args.findLast((arg) => isMap(arg) && "label" in arg);
  return isMap(properties) ? String(properties.label) : "";
}

/** Every resource comes under the stack, so that its place among the others is fixed. */
function isStack(urn: string): boolean {
  return urn.startsWith("pulumi:pulumi:Stack::");
}

type Dependencies = ReadonlyMap<string, ReadonlySet<string>>;

function dependOnEachOther(dependencies: Dependencies, urn: string, other: string): boolean {
  return dependencies.get(urn)?.has(other) === true || dependencies.get(other)?.has(urn) === true;
}

/** All that each resource depends on, directly or not; only by way of `among`, where that is given. */
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
