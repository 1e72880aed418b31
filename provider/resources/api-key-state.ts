import { KeyplaneError } from "../errors";
import { keyDigest } from "../key-digest";
import type { KeyToRevoke } from "../keys/find-key";
import { keyFields, keyRules, rotateAt } from "../keys/key-fields";
import { digestOfTriggers, type KeyState, readKeyState, sealedIn } from "../keys/key-state";
import { expiresAt, leaseRules } from "../keys/lease";
import { textOf, withoutEmpty } from "../members";
import { type FieldRule, type FieldType, type InputsOf, type Planned, types } from "../schema/field-types";
import type { Outputs, Properties } from "../schema/outputs";
import type { Context, Failure } from "../schema/resource-type";
import type { SealedTexts } from "../seal/recipients";

const NO_ADOPTION =
  "is supported only by RotatingApiKey. The replacement of an ApiKey would adopt the key, and lose it with the old resource";

export const apiKeyFields = {
  ...keyFields,
  name: { type: types.keyName, change: "replace" },
  adopt: { type: (() => NO_ADOPTION) as FieldType<undefined>, change: "ignore", refused: true },
  onNameConflict: { type: types.oneOf("fail", "revokeUnused"), fallback: "fail", change: "update" },
} as const satisfies Record<string, FieldRule>;

export type ApiKeyInputs = InputsOf<typeof apiKeyFields>;

export function apiKeyRules(inputs: Planned<ApiKeyInputs>, context: Context): readonly Failure[] {
  const failures: Failure[] = [...keyRules(inputs, context), ...leaseRules(inputs)];
  if (inputs.name !== undefined) {
    if (inputs.namePrefix !== undefined) {
      failures.push({ property: "namePrefix", reason: "cannot be combined with name. Choose one of them" });
    }
    if (inputs.maxAge !== undefined) {
      const reason =
        "cannot be combined with name, because the deadline is a part of the generated name. Use namePrefix";
      failures.push({ property: "maxAge", reason });
    }
    if (inputs.waitForProjects !== undefined) {
      const reason =
        "cannot be combined with name, because a replacement revokes the old key before it waits. Use namePrefix, or " +
        "make the key depend on a ProjectReady";
      failures.push({ property: "waitForProjects", reason });
    }
  } else if (inputs.onNameConflict !== undefined) {
    failures.push({ property: "onNameConflict", reason: "requires name. Set name, or remove onNameConflict" });
  }
  return failures;
}

/** The state of a key, stored in the outputs beside the inputs. */
export interface ApiKeyState extends KeyState<ApiKeyInputs> {
  /** Absent if no key could be created. */
  readonly keyId: string | undefined;
  readonly name: string | undefined;
  /** The secret. The service shows it only once, so it is carried from state to state. Absent if it is sealed. */
  readonly key: string | undefined;
  readonly sealedKey: SealedTexts | undefined;
  readonly digest: string | undefined;
  /** The tag of the owner that created it, if its name is an exact one, which does not show that. */
  readonly mintedBy: string | undefined;
  readonly imported: true | undefined;
  /** Whether a refresh found that the key is gone, while others are still to be revoked. */
  readonly gone: boolean;
}

/**
 * Reads a resource's outputs, also those of former versions. Throws `KP-INPUT` for those of a `RotatingApiKey`, which an
 * alias or an edited state can pass: an `ApiKey` has no place for its other keys, so they would stay live unnoticed.
 */
export function readState(outputs: Properties): ApiKeyState {
  if (outputs.nextAction !== undefined) {
    throw new KeyplaneError(
      "KP-INPUT",
      "the state has a RotatingApiKey here, which an ApiKey cannot continue. Nothing was changed. Declare a RotatingApiKey " +
        "again, with the type of this ApiKey as an alias if the state already has it, or give the ApiKey another name",
    );
  }
  const { keyId, name, key, sealedKey, digest, mintedBy, imported, gone, ...others } = outputs;
  const { digestKey, createdAt, rotateAt, expiresAt, triggersDigest, rotationTriggers, ...left } = others;
  const { pending, pendingRevocations, lostNames, lostAt, credential, ...inputs } = left;
  // The spread is last, because V8 takes ten times as long for an object that begins with one.
  return {
    inputs: { ...(inputs as ApiKeyInputs), ...(mintedBy !== undefined && { name: textOf(name) }) },
    keyId: textOf(keyId),
    name: textOf(name),
    key: textOf(key),
    sealedKey: sealedIn(sealedKey),
    // A state of a former version has no digest.
    digest: typeof key === "string" ? keyDigest(key) : textOf(digest),
    mintedBy: textOf(mintedBy),
    imported: imported === true || undefined,
    gone: gone === true,
    ...readKeyState(outputs),
  };
}

export const NO_KEY: ApiKeyState = readState({});

export function writeState(state: ApiKeyState): Outputs {
  const { inputs, triggers, queuedTriggers, showsTriggers, gone, lost, identity, ...others } = state;
  const written = {
    // They can contain secrets, which the engine encrypts only under the name of an input.
    rotationTriggers: undefined,
    triggersDigest: triggers?.text,
    ...others,
    ...lost,
    ...(state.sealedKey && { key: null }),
    rotateAt: rotateAt(state.createdAt, inputs),
    expiresAt: expiresAt(state.name),
    gone: gone || undefined,
    owner: identity,
  };
  return withoutEmpty(Object.assign({}, inputs, written));
}

export function withInputs(state: ApiKeyState, inputs: ApiKeyInputs): ApiKeyState {
  const triggers = digestOfTriggers(inputs.rotationTriggers, state.key ?? state.digestKey, state.triggers);
  return { ...state, inputs, triggers, identity: inputs.owner };
}

export function isExact({ mintedBy }: ApiKeyState): boolean {
  return mintedBy !== undefined;
}

/** Keys that attempts to create this one left behind, under its exact name or under names with the owner's tag. */
export function keysToRevoke(ids: readonly string[], state: ApiKeyState): readonly KeyToRevoke[] {
  return ids.map((id) => ({ id, name: isExact(state) ? state.name : undefined, createdAt: state.createdAt }));
}
