import { keyIn } from "../key-index";
import type { Context, Properties } from "../schema/resource-type";
import { mustBeSameAccount } from "./account-guard";
import { identityIn, urnIn } from "./identity";

/** Whether a resource has another name in its stack than the one that its keys are named for. */
export function isRenamed({ owner }: Properties, urn: string): boolean {
  return (urnIn(owner) ?? urn) !== urn;
}

/**
 * Uses the keys of a renamed resource that were never used: a new resource with its former name would take them for its
 * orphans, but never revokes a key that was used. Another use would delay the retirement of a previous key.
 */
export async function useRenamed(held: Properties, context: Context): Promise<void> {
  await mustBeSameAccount(identityIn(held), context);
  const keys = await context.keys().list();
  const isUnused = (id: unknown) => (keyIn(keys, String(id))?.lastUsedAt ?? null) === null;
  for (const [id, key] of [
    [held.keyId, held.key],
    [held.previousKeyId, held.previousKey],
  ]) {
    if (typeof key === "string" && isUnused(id) && !(await context.keys().authenticates(key, { isNew: false }))) {
      context.warn(
        "the service does not accept a key of this resource. Run `pulumi refresh` to find out which one is gone",
      );
    }
  }
}
