import type { Context, Properties, ResourceType } from "../schema/resource-type";

/** Records the keys that a resource of the program holds, so that deleting another resource does not revoke them. */
export function noteHolder(type: ResourceType, resourceId: string, outputs: Properties, context: Context): void {
  const { holders, heldNames } = context.run;
  for (const { id, name } of type.holds?.(outputs) ?? []) {
    if (name !== undefined) heldNames.add(name);
    const ids = holders.get(id) ?? new Set();
    holders.set(id, ids.add(resourceId));
    if (ids.size > 1) {
      context.warn(
        `key ${id} belongs to two resources of this stack, so the deletion of one revokes the key of the other. Remove one ` +
          "of them from the state with `pulumi state delete`, and from the program",
      );
    }
  }
}

/** Whether another resource of the program holds the key of a deleted resource. Reports it if so. */
export function isHeldElsewhere(id: string, resourceId: string, context: Context): boolean {
  const others = [...(context.run.holders.get(id) ?? [])].filter((other) => other !== resourceId);
  if (others.length === 0) return false;
  context.info(`key ${id} stays live, because another resource of this stack holds it`);
  return true;
}
