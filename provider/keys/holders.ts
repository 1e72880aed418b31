import { getOrCreate } from "../get-or-create";
import type { Context, Made, ResourceType, RunNotes } from "../schema/resource-type";
import { urnIn } from "./identity";

/**
 * Records the keys that a resource of the program holds, so that deleting another resource does not revoke them.
 * @param urn - The URN that the keys in the state are named for, if it is known. Two resources that import the same key
 * have the same id, and only these URNs differ.
 */
export function noteHolder(
  type: ResourceType,
  { id: resourceId, outputs }: Made,
  context: Context,
  urn?: string,
): void {
  const { heldNames, holderUrns, lastHolders } = context.run;
  for (const { id, name } of type.holds?.(outputs) ?? []) {
    if (name !== undefined) heldNames.add(name);
    const ids = holdersOf(id, context.run).add(resourceId);
    lastHolders.set(id, context.urn);
    const urns = getOrCreate(holderUrns, id, () => new Set());
    if (urn !== undefined) urns.add(urn);
    if (ids.size > 1 || urns.size > 1) {
      context.warn(
        `key ${id} belongs to two resources of this stack. Remove one of them from the program, and from the state with ` +
          "`pulumi state delete`. Otherwise the deletion of one can revoke the key of the other",
      );
    }
  }
}

/** Records that a resource that this process does not serve holds a key. */
export function noteOther(
  id: string,
  other: { readonly id: string; readonly urn: string | undefined },
  { run }: Pick<Context, "run">,
): void {
  holdersOf(id, run).add(other.id);
  if (other.urn !== undefined) getOrCreate(run.holderUrns, id, () => new Set()).add(other.urn);
}

/** The ids of the resources that hold a key. */
export function holdersOf(id: string, { holders }: RunNotes): Set<string> {
  return getOrCreate(holders, id, () => new Set());
}

/**
 * Whether another resource of the program holds the key of a deleted resource. Reports it if so.
 * @param identity - The identity in the state of the deleted resource.
 */
export function isHeldElsewhere(
  id: string,
  resourceId: string,
  identity: string | undefined,
  context: Context,
): boolean {
  const { holders, holderUrns } = context.run;
  const ids = [...(holders.get(id) ?? [])].filter((other) => other !== resourceId);
  const urns = [...(holderUrns.get(id) ?? [])].filter((other) => other !== urnIn(identity));
  if (ids.length + urns.length === 0) return false;
  context.info(`key ${id} stays live, because another resource of this stack holds it`);
  return true;
}
