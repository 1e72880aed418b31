import { isMap, type Json } from "../../kit/engine/property";
import type { Case, StateRow } from "./case";

/** Whether the order between two resources is fixed, because one of them depends on the other. */
export type Related = (urn: string, other: string) => boolean;

/**
 * The relations in force at a step of a case: those of the states before and after it. A resource in neither - only
 * previewed, or deleted at once - has those it has anywhere in the case.
 */
export function relationsAt(recorded: Case, index: number): Related {
  const states = recorded.steps.map((step) => step.expect.state.resources);
  const near = [...(states[index - 1] ?? []), ...(states[index] ?? [])];
  const known = new Set(near.map((row) => row.urn));
  const elsewhere = states.flat().filter((row) => !known.has(row.urn));
  const dependencies = closure([...near, ...elsewhere]);
  const dependsOn = (urn: string, other: string) => dependencies.get(urn)?.has(other) ?? false;
  return (urn, other) =>
    urn === other || isStack(urn) || isStack(other) || dependsOn(urn, other) || dependsOn(other, urn);
}

/** The URNs of the resources with a label, as the calls of the provider name them. */
export function urnsByLabel(recorded: Case): Map<string, Set<string>> {
  const urns = new Map<string, Set<string>>();
  for (const row of recorded.steps.flatMap((step) => step.expect.state.resources)) {
    const label = isMap(row.inputs) ? row.inputs.label : undefined;
    if (typeof label === "string") urns.set(label, (urns.get(label) ?? new Set()).add(row.urn));
  }
  return urns;
}

/** Every resource comes under the stack, so that its place among the others is fixed. */
function isStack(urn: string): boolean {
  return urn.startsWith("pulumi:pulumi:Stack::");
}

/** All that each resource depends on, directly or not. */
function closure(rows: readonly StateRow[]): Map<string, Set<string>> {
  const direct = new Map<string, Set<string>>();
  for (const row of rows) {
    const urns = [row.parent, row.dependencies, row.propertyDependencies, row.deletedWith].flatMap(textsIn);
    direct.set(row.urn, new Set([...(direct.get(row.urn) ?? []), ...urns]));
  }
  return new Map([...direct.keys()].map((urn) => [urn, reachable(urn, direct)]));
}

function reachable(from: string, direct: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
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
