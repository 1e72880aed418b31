import { parseDuration } from "../duration";
import type { Call } from "./call";
import { reportSkew } from "./clock";
import { createKey } from "./creating";
import type { ExactName } from "./exact-name";
import type { KeyInputs } from "./fields";
import { nameInUrn, prefixFrom } from "./naming";
import { finishPending, pendingAfter } from "./readiness";
import { heldFrom, type Left } from "./state";

/**
 * Creates the key that a resource wants, and waits until it is ready; `unready` says why it is not. Throws what `createKey`
 * throws: once there is a key, it is returned.
 * @param before - What earlier creations of the resource have left.
 * @param exact - A name that the program sets, in place of a generated one.
 */
export async function newKey(inputs: KeyInputs, before: Left, call: Call, exact?: ExactName) {
  const { namePrefix, projectId, maxAge, sealTo } = inputs;
  const prefix = namePrefix ?? prefixFrom(nameInUrn(call.urn));
  const request = { prefix, exact, projectId, maxAgeMs: parseDuration(maxAge), sealTo };
  const { created, sealedKey, left } = await createKey(request, before, call);
  const { id, key, createdAt, operations } = created;
  reportSkew(call);
  const ready = await finishPending(pendingAfter(operations, inputs), { id, key, sealedKey }, inputs, call);
  return { key: heldFrom(created, sealedKey), createdAt, left, ...ready };
}
