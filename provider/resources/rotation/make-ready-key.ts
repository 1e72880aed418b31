import { KeyplaneError } from "../../errors";
import { keyDigest } from "../../key-digest";
import { reportSkew } from "../../keys/clock-skew";
import { createKey, NotCreated } from "../../keys/create-key";
import type { LostRequests } from "../../keys/lost-request";
import { nameInUrn, prefixFrom } from "../../keys/names";
import { finishPending, type PendingWork, pendingAfter, waitForProjects } from "../../keys/readiness";
import { revokeAll } from "../../keys/revoke-key";
import type { Context } from "../../schema/resource-type";
import type { RotationInputs } from "./rotation-fields";
import type { HeldKey } from "./rotation-state";

/** The result of creating a key. */
export interface MadeKey {
  /** The key; absent if none could be created, or if the new key was unusable and was revoked. */
  readonly key?: HeldKey & { readonly createdAt: string };
  /** What the key still waits for. */
  readonly pending: readonly PendingWork[];
  /** Ids of keys that nobody holds and that could not be revoked yet. */
  readonly pendingRevocations: readonly string[];
  readonly lost: LostRequests;
  /** Why there is no key, or why it is not ready. */
  readonly failure?: Error;
}

/** Creates an auto-named key and waits until it is ready. Revokes an unusable key, because it was not handed out. */
export async function makeReadyKey(inputs: RotationInputs, context: Context): Promise<MadeKey> {
  const none = { pending: [], pendingRevocations: [], lost: {} };
  let newKey: Awaited<ReturnType<typeof createKey>>;
  try {
    await waitForProjects(inputs, context);
    const prefix = inputs.namePrefix ?? prefixFrom(nameInUrn(context.urn));
    context.progress("creating a new key");
    newKey = await createKey({ prefix, identity: inputs.owner }, inputs, context);
  } catch (error) {
    return { ...none, ...(error instanceof NotCreated && error.left), failure: error as Error };
  }
  const { created, sealedKey, lost, pendingRevocations } = newKey;
  const { id: keyId, name, key, createdAt, operations } = created;
  reportSkew(context);
  const work = pendingAfter(operations, inputs);
  const trial = { keyId, key, isSealed: sealedKey !== undefined };
  const { pending, reason } = await finishPending(work, trial, inputs, context);
  if (pending.some((each) => each.status === "failed")) {
    const left = await revokeAll([{ id: keyId, name }], inputs.owner, context);
    const failure = new KeyplaneError(
      "KP-UNUSABLE",
      `the new key ${keyId} was not delivered and is revoked again: ${reason}`,
    );
    return { pending: [], lost, pendingRevocations: [...pendingRevocations, ...left], failure };
  }
  const digest = keyDigest(key);
  const secret = sealedKey ? { key: undefined, sealedKey, digest } : { key, sealedKey: undefined, digest };
  const made = { key: { keyId, name, ...secret, createdAt }, pending, pendingRevocations, lost };
  return reason === undefined ? made : { ...made, failure: new Error(reason) };
}
