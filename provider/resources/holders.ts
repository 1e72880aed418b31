import type { Context, Kind, Properties } from "./kind";

/** Notes that a resource which goes on in this run holds its keys, so that the deletion of another leaves them alone. */
export function noteHolder(kind: Kind, id: string, outputs: Properties, context: Context): void {
  for (const keyId of kind.holds?.(outputs) ?? []) {
    const holders = context.run.holders.get(keyId) ?? new Set();
    context.run.holders.set(keyId, holders.add(id));
    if (holders.size > 1) {
      context.warn(
        `key ${keyId} is held by another resource of this stack, too, and would be revoked with the first of them: ` +
          "remove one from the state with `pulumi state delete`, and from the program",
      );
    }
  }
}

/** Whether a resource that goes on in this run holds a key of one that is deleted; says so. */
export function isHeldElsewhere(keyId: string, id: string, context: Context): boolean {
  const others = [...(context.run.holders.get(keyId) ?? [])].filter((holder) => holder !== id);
  if (others.length === 0) return false;
  context.info(`key ${keyId} stays live: another resource of this stack holds it now`);
  return true;
}
