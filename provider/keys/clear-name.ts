import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import type { Context } from "../schema/resource-type";
import { shownName } from "../text";
import { isOthers, nameInUrn } from "./names";

/** A name that the program sets, the owner of the key, and what happens to an unused key that has the name. */
export interface NameClaim {
  readonly name: string;
  readonly owner: string;
  readonly onNameConflict?: "fail" | "revokeUnused" | undefined;
}

/** Makes sure that an exact name is free. */
export async function clearName({ name, owner, onNameConflict = "fail" }: NameClaim, context: Context): Promise<void> {
  const keys = await context.keys().list({ fresh: true });
  const inTheWay = keys.filter((key) => key.name === name);
  if (onNameConflict === "revokeUnused") {
    for (const key of inTheWay.filter((found) => found.lastUsedAt === null)) {
      const whose = await otherHolder(key, owner, context);
      if (whose !== undefined) {
        const taken = `the name ${name} is taken by key ${key.id}, ${whose}. Choose another name`;
        throw new KeyplaneError("KP-NAME-TAKEN", taken);
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
      `${ways}. If it is a key of this stack that is to be replaced, first run \`pulumi up\` without the change and without ` +
      "revokeOnDelete, retainOnDelete and protect. Then change rotationTriggers. If it was replaced and is still to be " +
      "deleted, run one `pulumi up` that leaves this resource out",
  );
}

/** Which other resource of this stack may have a key, in words; `undefined` if the state shows that none has it. */
async function otherHolder(key: ApiKeyRecord, owner: string, context: Context): Promise<string | undefined> {
  const { urn, run } = context;
  const witness = await context.witness(owner, { fresh: true });
  const saved = witness?.holdersOf(key) ?? [];
  const other = [run.lastHolders.get(key.id) ?? urn, ...saved.map((each) => each.urn)].find((each) => each !== urn);
  if (other !== undefined) return `which belongs to ${JSON.stringify(shownName(nameInUrn(other)))} in this stack`;
  const isCopied = saved.some(({ mintedBy }) => isOthers({ name: key.name, maker: mintedBy }, owner));
  if (isCopied) return "which another stack created, from which this state was copied or renamed";
  if (witness !== undefined) return undefined;
  return "and the state of the stack, which shows whether another resource has it, could not be read";
}
