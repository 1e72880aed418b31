import { type Members, membersOf, textOf, textsOf } from "../members";
import { type Digest, digestOf, isDigestOf, isKeyed, keyed } from "../schema/digest";
import { UNKNOWN } from "../schema/field-types";
import type { Due, LostRequests } from "../schema/resource-type";
import type { SealedTexts } from "../seal/recipients";
import { identityIn } from "./identity";
import type { KeyInputs } from "./key-fields";
import { lostIn } from "./lost-request";
import { type PendingWork, pendingIn } from "./readiness";

/** What the states of all kinds of key have. */
export interface KeyState<Inputs extends KeyInputs = KeyInputs> {
  readonly inputs: Inputs;
  /** The secret for digests beside a sealed key. */
  readonly digestKey: string | undefined;
  /** ISO 8601 time at which the service created the current key. */
  readonly createdAt: string | undefined;
  /** Digest of the triggers with which the current key was created, made with its secret. */
  readonly triggers: Digest | undefined;
  /** Digest of triggers whose rotation has not happened yet, made with the secret of the current key. */
  readonly queuedTriggers: Digest | undefined;
  /** Whether the outputs have triggers in clear text, or a digest that shows a weak secret to who guesses. */
  readonly showsTriggers: boolean;
  readonly pending: readonly PendingWork[];
  /** Ids of keys that nobody holds, or that were not handed out, and that must be revoked as soon as possible. */
  readonly pendingRevocations: readonly string[];
  readonly lost: LostRequests;
  /** The owner's identity in the account that last contained the keys. */
  readonly identity: string | undefined;
}

/** The outputs of a key that change only with the key itself. */
export const KEY_OUTPUTS = ["keyId", "name", "key", "sealedKey", "digest", "createdAt", "expiresAt"];

/** The public outputs that all kinds of key have. */
export const COMMON_OUTPUTS = [...KEY_OUTPUTS, "rotateAt", "pending"];

/** Reads the part of a state that all kinds of key have, also from the outputs of former versions. */
export function readKeyState(outputs: Members): Omit<KeyState, "inputs"> {
  // Nobody has the secret of a sealed key later, so its resource has a random one, which the engine encrypts like a key.
  const key = textOf(outputs.key) ?? textOf(outputs.digestKey);
  const digestIn = (text: unknown) => (typeof text === "string" && key !== undefined ? keyed(text, key) : undefined);
  const { triggersDigest, queuedTriggersDigest, rotationTriggers, queuedTriggers } = outputs;
  const isClear = rotationTriggers !== undefined || queuedTriggers !== undefined;
  const isWeak = [triggersDigest, queuedTriggersDigest].some((text) => typeof text === "string" && !isKeyed(text));
  return {
    digestKey: textOf(outputs.digestKey),
    createdAt: textOf(outputs.createdAt),
    // Version 0.1 stored the triggers themselves.
    triggers: digestIn(triggersDigest) ?? digestOfTriggers(rotationTriggers, key),
    queuedTriggers: digestIn(queuedTriggersDigest),
    showsTriggers: isClear || isWeak,
    pending: pendingIn(outputs.pending),
    pendingRevocations: textsOf(outputs.pendingRevocations),
    lost: lostIn(outputs),
    identity: identityIn(outputs),
  };
}

/** The sealed texts of a key in outputs; `undefined` if it is not sealed. */
export function sealedIn(sealedKey: unknown): SealedTexts | undefined {
  return typeof sealedKey === "object" && sealedKey !== null ? sealedKey : undefined;
}

/**
 * The digest to store for triggers: one that is already stored, if it matches them. It is made with the secret that is
 * beside it in the state.
 */
export function digestOfTriggers(
  triggers: unknown,
  key: string | undefined,
  ...kept: readonly (Digest | undefined)[]
): Digest | undefined {
  if (key === undefined || (triggers !== UNKNOWN && Object.keys(membersOf(triggers)).length === 0)) return undefined;
  return kept.find((digest) => digest?.key === key && isDigestOf(triggers, digest)) ?? digestOf(triggers, key);
}

/** What is due if a run has left keys to revoke, or to look for. */
export function leftDue({ lost: { lostNames = [] }, pendingRevocations }: KeyState): readonly Due[] {
  const why = `looking for the key of a lost request: ${lostNames.join(", ")}`;
  return [
    ...(lostNames.length > 0 ? [{ field: "lostNames", replace: false, why }] : []),
    ...(pendingRevocations.length > 0 ? [{ field: "pendingRevocations", replace: false }] : []),
  ];
}

export function triggersDue({ showsTriggers }: KeyState): readonly Due[] {
  return showsTriggers ? [{ field: "rotationTriggers", replace: false }] : [];
}
