import { compareLimit, describeLimit } from "../../api/keys/project-limit";
import type { ApiKeyRecord } from "../../api/records";
import { KeyplaneError } from "../../errors";
import { keyDigest } from "../../key-digest";
import { reportSkew } from "../../keys/clock-skew";
import { ownerIdIn } from "../../keys/identity";
import { proveKey, readClaim } from "../../keys/import-key";
import { reportUnsaid } from "../../keys/key-limit";
import { formatKey, hasTagOf, ownerTag } from "../../keys/names";
import { withoutEmpty } from "../../members";
import type { Context, Imported } from "../../schema/resource-type";
import { type Adoption, heldByOther } from "./adoption";
import type { RotationInputs } from "./rotation-fields";
import { NOTHING } from "./rotation-outputs";
import { type RotationState, withTriggers } from "./rotation-state";

/** Adopts a key that was created by hand. Changes nothing on the service. */
export async function adoptKey(adopt: Adoption, inputs: RotationInputs, context: Context): Promise<RotationState> {
  const held = heldByOther(adopt, context);
  if (held !== undefined) throw held;
  const claim = { ...adopt, code: "KP-ADOPT", source: "adopt.key" } as const;
  const found = await proveKey({ ...claim, instead: ", or remove adopt to get a new key" }, inputs, context);
  const { name, projectId } = found;
  if (hasTagOf(name, ownerIdIn(inputs.owner))) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${formatKey(found)} was created by this stack, and one of its resources may hold it. Remove adopt to get a ` +
        "new key",
    );
  }
  if (compareLimit(inputs.projectId, projectId) === "other") {
    const way = projectId === null ? "Remove projectId" : "Set projectId to that project";
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${formatKey(found)} ${describeLimit(projectId)}. ${way}, or adopt another key`,
    );
  }
  reportUnsaid(inputs, found, context);
  reportSkew(context);
  context.info(`adopted key ${formatKey(found)}. Remove adopt and its secret from the program when this run is done`);
  return withTriggers(takenOver(adopt, found, inputs));
}

/** Imports a key that was created by hand, or that a lost state contained. */
export async function importKey(
  id: string,
  key: string | undefined,
  inputs: RotationInputs,
  context: Context,
): Promise<Pick<Imported<RotationInputs, RotationState>, "inputs" | "outputs">> {
  const claim = readClaim(id, key);
  const record = await proveKey(claim, inputs, context);
  const found = withoutEmpty({ ...inputs, projectId: record.projectId ?? undefined });
  return { inputs: found, outputs: takenOver(claim, record, found) };
}

/** The state of a resource that starts with an existing key. Its name does not show the owner. */
function takenOver({ id, key }: Adoption, { name, createdAt }: ApiKeyRecord, inputs: RotationInputs): RotationState {
  const current = { id, name, key, digest: keyDigest(key) };
  return { ...NOTHING, inputs, current, createdAt, adopted: { id, name, by: ownerTag(ownerIdIn(inputs.owner)) } };
}
