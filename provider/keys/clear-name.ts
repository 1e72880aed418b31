import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import type { Context } from "../schema/resource-type";
import { shownName } from "../text";
import type { ExactName } from "./create-key";
import { nameInUrn } from "./names";

/** Makes sure that an exact name is free. */
export async function clearName({ name, onNameConflict = "fail" }: ExactName, context: Context): Promise<void> {
  const keys = await context.keys().list({ fresh: true });
  const inTheWay = keys.filter((key) => key.name === name);
  if (onNameConflict === "revokeUnused") {
    for (const key of inTheWay.filter((found) => found.lastUsedAt === null)) {
      const holder = await otherHolder(key, context);
      if (holder !== undefined) {
        throw new KeyplaneError(
          "KP-NAME-TAKEN",
          `the name ${name} is taken by key ${key.id}, which belongs to ${JSON.stringify(holder)} in this stack. ` +
            "Choose another name",
        );
      }
      context.info(`revoking key ${key.id}, which has the name ${name} and was never used`);
      await context.keys().revoke(key.id);
    }
  }
  const [taken] = inTheWay.filter((key) => onNameConflict === "fail" || key.lastUsedAt !== null);
  if (taken === undefined) return;
  const use = taken.lastUsedAt === null ? "never used" : `last used ${taken.lastUsedAt}`;
  const canRevoke = onNameConflict === "fail" && taken.lastUsedAt === null;
  const ways = canRevoke
    ? 'Choose another name, revoke that key, or set onNameConflict to "revokeUnused"'
    : "Choose another name, or revoke that key";
  throw new KeyplaneError(
    "KP-NAME-TAKEN",
    `the name ${name} is taken by key ${taken.id} (created ${taken.createdAt}, ${use}). ` +
      `${ways}. If it is a key of this stack that is to be replaced, change rotationTriggers, or set the resource ` +
      "option deleteBeforeReplace",
  );
}

/** The name of another resource of this stack that has a key; `undefined` if none is known. */
async function otherHolder(key: ApiKeyRecord, context: Context): Promise<string | undefined> {
  const { urn, run } = context;
  const seen = run.lastHolders.get(key.id);
  const saved = (await context.witness())?.holdersOf(key).map((holder) => holder.urn) ?? [];
  const other = [...(seen === undefined ? [] : [seen]), ...saved].find((holder) => holder !== urn);
  return other === undefined ? undefined : shownName(nameInUrn(other));
}
