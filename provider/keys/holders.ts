import { getOrCreate } from "../get-or-create";
import type { Made } from "../schema/outputs";
import type { Context, ResourceType } from "../schema/resource-type";
import { urnIn } from "./identity";

/** Stands for an import among the resources that hold a key: the id and the URN can be those of the resource before it. */
export const IMPORT = "import";

/**
 * Records the keys that a resource of the program holds, so that deleting another resource does not revoke them.
 * @param urn - The URN that the keys in the state are named for, if it is known. Two resources that import the same key
 * have the same id, and only these URNs differ.
 */
export function noteHolder(type: ResourceType, { id: holder, outputs }: Made, context: Context, urn?: string): void {
  const { heldNames, lastHolders } = context.run;
  for (const { id, name } of type.holds?.(outputs) ?? []) {
    if (name !== undefined) heldNames.add(name);
    lastHolders.set(id, context.urn);
    const { ids, urns } = noteHeldBy({ id: holder, urn }, id, context);
    if (ids.size - Number(ids.has(IMPORT)) > 1 || urns.size > 1) {
      context.warn(
        `key ${id} belongs to two resources of this stack. Remove one of them from the program, and from the state with ` +
          "`pulumi state delete`. Otherwise the deletion of one can revoke the key of the other",
      );
    }
  }
}

/** Records that a resource holds a key, also one that another process serves. Returns all of them. */
export function noteHeldBy(
  holder: { readonly id: string; readonly urn: string | undefined },
  keyId: string,
  { run }: Context,
) {
  const ids = getOrCreate(run.holders, keyId, () => new Set()).add(holder.id);
  const urns = getOrCreate(run.holderUrns, keyId, () => new Set());
  if (holder.urn !== undefined) urns.add(holder.urn);
  return { ids, urns };
}

/**
 * Whether another resource of the program holds the key of a deleted resource. Reports it if so.
 * @param identity - The identity in the state of the deleted resource.
 */
export function isHeldElsewhere(id: string, holder: string, identity: string | undefined, context: Context): boolean {
  const { holders, holderUrns } = context.run;
  const ids = [...(holders.get(id) ?? [])].filter((other) => other !== holder);
  const urns = [...(holderUrns.get(id) ?? [])].filter((other) => other !== urnIn(identity));
  if (ids.length + urns.length === 0) return false;
  context.info(`key ${id} stays live, because another resource of this stack holds it`);
  return true;
}
