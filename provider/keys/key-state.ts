import { keyDigest } from "../key-digest";
import { isObject, type Members, textOf, textsOf } from "../members";
import type { PendingWork } from "../pending-work";
import type { Due } from "../schema/diff";
import type { SealedTexts } from "../seal/recipients";
import { attemptsIn } from "../stack/keys-in-state";
import type { KeyInputs } from "./fields";
import type { RecordedKey } from "./finding";

/** A key as a state has it. */
export interface HeldKey {
  readonly id: string;
  readonly name: string;
  /** The secret. The service shows it only once, so it is carried from state to state. Absent if it is sealed. */
  readonly key: string | undefined;
  readonly sealedKey?: SealedTexts | undefined;
  readonly digest?: string | undefined;
}

/** What a resource records of its lost requests: their names, and when the last one was lost, as an ISO 8601 time. */
export interface LostRequests {
  readonly lostNames: readonly string[];
  readonly lostAt?: string | undefined;
}

export const NOTHING_LOST: LostRequests = { lostNames: [] };

/** What a creation has left to clean up. */
export interface Cleanup {
  /** How many names the resource has requested so far: the last attempt. */
  readonly attempts: number;
  readonly lost: LostRequests;
  /** Ids of keys that nobody has, or that a successor is to replace, and that must be revoked as soon as possible. */
  readonly pendingRevocations: readonly string[];
}

/** What the states of all kinds of key have. */
export interface KeyState<Inputs extends KeyInputs = KeyInputs> extends Cleanup {
  readonly inputs: Inputs;
  /** ISO 8601 time at which the service created the current key. */
  readonly createdAt: string | undefined;
  readonly pending: readonly PendingWork[];
  /** The fingerprint of the account that last showed the keys; see `fingerprint.ts`. */
  readonly fingerprint: string | undefined;
}

/** Reads the part of a state that all kinds of key have. */
export function readKeyState(outputs: Members): Omit<KeyState, "inputs"> {
  return {
    createdAt: textOf(outputs.createdAt),
    pending: Array.isArray(outputs.pending) ? outputs.pending : [],
    pendingRevocations: textsOf(outputs.pendingRevocations),
    attempts: attemptsIn(outputs),
    lost: { lostNames: textsOf(outputs.lostNames), lostAt: textOf(outputs.lostAt) },
    fingerprint: textOf(outputs.__account),
  };
}

/** The outputs of that part. */
export function writeKeyState({
  createdAt,
  pending,
  pendingRevocations,
  attempts,
  lost,
  fingerprint,
}: Omit<KeyState, "inputs">) {
  return {
    createdAt,
    pending,
    pendingRevocations,
    attempts: attempts === 1 ? undefined : attempts,
    ...lost,
    __account: fingerprint,
  };
}

/** A key in the outputs of a resource; `undefined` if they have none. */
export function heldKey({
  id,
  name,
  key,
  sealedKey,
  digest,
}: Readonly<Record<keyof HeldKey, unknown>>): HeldKey | undefined {
  if (typeof id !== "string") return undefined;
  const secret = textOf(key);
  return {
    id,
    name: String(name),
    key: secret,
    sealedKey: isObject(sealedKey) ? sealedKey : undefined,
    digest: textOf(digest) ?? keyDigest(secret),
  };
}

/** A key that was just created or taken over. A sealed one is recorded without its secret. */
export function heldFrom(
  { id, name, key }: { readonly id: string; readonly name: string; readonly key: string },
  sealedKey?: SealedTexts,
): HeldKey {
  return { id, name, key: sealedKey ? undefined : key, sealedKey, digest: keyDigest(key) };
}

/** What is due if a run has left keys to revoke, or to look for. */
export function cleanupDue({ lost: { lostNames }, pendingRevocations }: Cleanup): readonly Due[] {
  const why = `looking for the key of a lost request: ${lostNames.join(", ")}`;
  return [
    ...(lostNames.length > 0 ? [{ field: "lostNames", replace: false, why }] : []),
    ...(pendingRevocations.length > 0 ? [{ field: "pendingRevocations", replace: false }] : []),
  ];
}

/**
 * Keys that a resource has still to revoke. They can be as new as the current key.
 * @param nameOf - The name of one, if it is not a generated one.
 */
export function pendingKeys(
  { pendingRevocations, inputs, fingerprint, createdAt }: KeyState,
  nameOf: (id: string) => string | undefined,
): readonly RecordedKey[] {
  const { __suffix: suffix } = inputs;
  return pendingRevocations.map((id) => ({ id, name: nameOf(id), suffix, fingerprint, createdAt }));
}

/** Whether the deletion of a resource without a key would lose something: keys to revoke, or to look for. */
export function hasCleanup({ lost: { lostNames }, pendingRevocations }: Cleanup): boolean {
  return lostNames.length + pendingRevocations.length > 0;
}
