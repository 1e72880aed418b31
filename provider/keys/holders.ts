import { getOrCreate } from "../get-or-create";
import type { Context, Properties, ResourceType, RunNotes } from "../schema/resource-type";
import { urnIn } from "./identity";

/** Records the keys that a resource of the program holds, so that deleting another resource does not revoke them. */
export function noteHolder(type: ResourceType, resourceId: string, outputs: Properties, context: Context): void {
  for (const { id, name } of type.holds?.(outputs) ?? []) {
    if (name !== undefined) context.run.heldNames.add(name);
    if (holdersOf(id, context.run).add(resourceId).size > 1) warnOfTwo(id, context);
  }
}

/**
 * Records that the state has a resource under the URN that its keys are named for. Two resources that import the same
 * key have the same id, and only their URNs differ.
 */
export function noteUrn(type: ResourceType, outputs: Properties, context: Context): void {
  const urn = urnIn(outputs.owner);
  if (urn === undefined) return;
  for (const { id } of type.holds?.(outputs) ?? []) {
    if (getOrCreate(context.run.holderUrns, id, () => new Set()).add(urn).size > 1) warnOfTwo(id, context);
  }
}

/** The ids of the resources that hold a key. */
export function holdersOf(id: string, { holders }: RunNotes): Set<string> {
  return getOrCreate(holders, id, () => new Set());
}

/**
 * Whether another resource of the program holds the key of a deleted resource. Reports it if so.
 * @param outputs - The outputs of the deleted resource.
 */
export function isHeldElsewhere(id: string, resourceId: string, outputs: Properties, context: Context): boolean {
  const { holders, holderUrns } = context.run;
  const ids = [...(holders.get(id) ?? [])].filter((other) => other !== resourceId);
  const urns = [...(holderUrns.get(id) ?? [])].filter((other) => other !== urnIn(outputs.owner));
  if (ids.length + urns.length === 0) return false;
  context.info(`key ${id} stays live, because another resource of this stack holds it`);
  return true;
}

function warnOfTwo(id: string, context: Context): void {
  context.warn(
    `key ${id} belongs to two resources of this stack. Remove one of them from the program, and from the state with ` +
      "`pulumi state delete`. Otherwise the deletion of one can revoke the key of the other",
  );
}
