import { KeyplaneError } from "../errors";
import { deadlineRules, dueByAge, rotateAt } from "../keys/ages";
import type { Call } from "../keys/call";
import { createKey } from "../keys/creating";
import { keyToImport, proveKey } from "../keys/existing-key";
import { types } from "../keys/field-types";
import { keyFields, keyRules } from "../keys/fields";
import { findKey, mustBeHere, type RecordedKey } from "../keys/finding";
import {
  cleanupDue,
  type HeldKey,
  hasCleanup,
  heldFrom,
  heldKey,
  type KeyState,
  pendingKeys,
  readKeyState,
  writeKeyState,
} from "../keys/key-state";
import { reportInDoubt, revokeLostKeys } from "../keys/lost";
import { expiresAt, formatKey, shownResource } from "../keys/naming";
import { besideOrphans, revokeOrphans } from "../keys/orphans";
import { asListed } from "../keys/project-reports";
import { finishPending, isReady, pendingDue, waitForProjects } from "../keys/readiness";
import { revokeAll, revokeKey } from "../keys/revoking";
import { claimInScope } from "../keys/scope";
import { type Members, withoutEmpty } from "../members";
import { KEY_OUTPUTS, OF_API_KEY } from "../outputs";
import type { CheckCall, Failure } from "../schema/check";
import type { Due } from "../schema/diff";
import type { FieldRule, FieldType, InputsOf, Planned } from "../schema/fields";
import { changeOfRecipients } from "../seal/recipients";
import { deleteKeys } from "./deleting";
import { atBorder, inputsIn, type Result } from "./resource";

const NO_ADOPTION =
  "is supported only by RotatingApiKey. The replacement of an ApiKey would adopt the key, and lose it with the old resource";

const fields = {
  ...keyFields,
  /** Without it, the key has a generated name, which the output of the same name shows. */
  name: { type: types.keyName, change: "replace" },
  adopt: { type: (() => NO_ADOPTION) as FieldType<undefined>, change: "ignore", refused: true },
  /** Whether the resource is protected, as far as a front end knows. */
  __isProtected: { type: types.flag, change: "ignore", internal: true },
  onNameConflict: { type: types.oneOf("fail", "revokeUnused"), fallback: "fail", change: "update" },
} as const satisfies Record<string, FieldRule>;

type Inputs = InputsOf<typeof fields>;

/** The state of a key, stored in the outputs beside the inputs. */
interface State extends KeyState<Inputs> {
  /** Absent if no key could be created, or if it is gone while others are still to be revoked. */
  readonly key: HeldKey | undefined;
}

/** One key with one secret. The service cannot change a key, so it is changed only by replacement. */
export const apiKey = atBorder<Inputs, State>({
  name: "ApiKey",
  hasKeys: true,
  fields,
  ...OF_API_KEY,
  readState,
  writeState,
  rules,

  // A name that the program no longer sets stays until something else replaces the key.
  inForce: (_, inputs) => (inputs.name === undefined ? { name: undefined } : {}),

  due(state, inputs, now) {
    const { key, createdAt } = state;
    const due: Due[] = [...pendingDue(state.pending), ...cleanupDue(state)];
    if (key === undefined) {
      const isGone = createdAt !== undefined;
      const why = isGone ? "the key is gone from the account" : "no key could be created yet";
      return [...due, { field: "keyId", replace: false, drift: isGone, why }];
    }
    const change = changeOfRecipients(state.inputs.sealTo, inputs.sealTo);
    if (change !== undefined) due.push({ field: "sealTo", replace: true, why: change });
    const why = dueByAge(createdAt, inputs, now);
    if (why !== undefined) due.push({ field: "rotateAfter", replace: true, why });
    return due;
  },

  stable: ({ key }) => (key === undefined ? [] : KEY_OUTPUTS),

  async create(inputs, call, replaced) {
    const old = replaced?.key && recordOf(replaced.key, replaced);
    if (old !== undefined) await mustBeHere(old, call);
    const made = await besideOrphans(call, async () => {
      await waitForProjects(inputs, call);
      return createFor({ ...NO_KEY, inputs }, call, replaced?.inputs.revokeOnDelete === false ? undefined : old);
    });
    // Nothing but a later import reads the id.
    return { id: made.state.key?.id ?? call.suffix, ...made };
  },

  async read(state, call) {
    const { key } = state;
    await revokeOrphans(call);
    if (hasCleanup(state)) reportInDoubt(state.lost, await call.keyList.keys.list(), call);
    // Nothing to look for: the next `up` creates it, and cleans up after the earlier creation.
    if (key === undefined) return state;
    const found = await findKey(recordOf(key, state), call);
    if (found !== undefined) {
      return { ...state, inputs: asListed(state.inputs, found, call.log), fingerprint: call.keyList.fingerprint };
    }
    // Said here, because the next preview shows a creation without its reason.
    call.log.warn(`key ${formatKey(key)} is gone from the account. The next \`pulumi up\` creates a new key`);
    // Removing the resource would lose the keys that are not revoked yet, or may still appear.
    return hasCleanup(state) ? { ...state, key: undefined, pending: [] } : undefined;
  },

  async update(saved, inputs, call) {
    if (saved.key !== undefined && saved.pending.length === 0 && !hasCleanup(saved))
      return { state: { ...saved, inputs } };
    return besideOrphans(call, async () => {
      const pendingRevocations = await revokeAll(toRevoke(saved), call);
      const lost = await revokeLostKeys(saved.lost, saved.fingerprint, call);
      const state = { ...saved, inputs, pendingRevocations, lost };
      if (state.key !== undefined) {
        const { pending, problem } = await finishPending(state.pending, state.key, inputs, call);
        return { state: { ...state, pending }, problem };
      }
      await waitForProjects(inputs, call);
      return createFor(state, call);
    });
  },

  async import(id, key, inputs, call) {
    const existing = keyToImport(id, key);
    const { name, createdAt, projectId } = await proveKey(existing, inputs, call);
    const found: Inputs = withoutEmpty({ ...inputs, name, projectId: projectId ?? undefined });
    const taken = heldFrom({ id, name, key: existing.key });
    return {
      id,
      inputs: found,
      state: { ...NO_KEY, inputs: found, key: taken, createdAt, fingerprint: call.keyList.fingerprint },
    };
  },

  async delete(state, call) {
    const { key, inputs } = state;
    await deleteKeys(state, toRevoke(state), call, async () => {
      if (key !== undefined && inputs.revokeOnDelete === false && isReady(state.pending)) {
        call.log.info(`key ${formatKey(key)} stays live, because revokeOnDelete is false`);
      } else if (key !== undefined) await revokeKey(recordOf(key, state), call);
    });
  },
});

/** What makes a key due for a replacement. */
const ROTATING = ["rotateAfter", "maxAge", "rotationTriggers"] as const;

function rules(inputs: Planned<Inputs>, check: CheckCall, before: Members): readonly Failure[] {
  const rotating = ROTATING.filter((input) => inputs[input] !== undefined);
  if (inputs.__isProtected === true && rotating.length > 0) {
    check.warn(
      `has ${rotating.join(", ")} and the option protect, but Pulumi does not replace a protected resource, so the run in ` +
        "which the key is due fails. Use a RotatingApiKey, which rotates in an update, or remove protect",
    );
  }
  const failures: Failure[] = [...keyRules(inputs, check, before), ...deadlineRules(inputs)];
  if (inputs.name !== undefined) {
    const { name } = inputs;
    // Neither a list nor the state shows a key that another resource is about to get.
    const other = typeof name === "string" ? claimInScope(`name ${name}`, inputs, check) : undefined;
    if (other !== undefined) {
      const reason = `is also that of ${shownResource(other)} in this stack. Choose another name`;
      failures.push({ property: "name", reason, code: "KP-NAME-TAKEN" });
    }
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

/**
 * Reads a resource's outputs. Throws `KP-INPUT` for those of a `RotatingApiKey`, which an alias or an edited state can
 * pass: an `ApiKey` cannot record its other key, so that would stay live unnoticed.
 */
function readState(outputs: Members): State {
  if (outputs.nextAction !== undefined) {
    throw new KeyplaneError(
      "KP-INPUT",
      "the state has a RotatingApiKey here, which an ApiKey cannot continue. Nothing was changed. Declare a RotatingApiKey " +
        "again, with the type of this ApiKey as an alias if the state already has it, or give the ApiKey another name",
    );
  }
  const { keyId: id, name, key, sealedKey, digest } = outputs;
  return {
    inputs: inputsIn<Inputs>(fields, outputs),
    key: heldKey({ id, name, key, sealedKey, digest }),
    ...readKeyState(outputs),
  };
}

const NO_KEY: State = { ...readState({}), attempts: 0 };

function writeState(state: State): Members {
  const { inputs, key, createdAt } = state;
  const written = {
    keyId: key?.id,
    name: key?.name ?? inputs.name,
    // A sealed key has an empty output, because Pulumi shows an absent one as unknown.
    key: key?.sealedKey === undefined ? key?.key : null,
    sealedKey: key?.sealedKey,
    digest: key?.digest,
    rotateAt: rotateAt(createdAt, inputs),
    expiresAt: expiresAt(key?.name),
  };
  return withoutEmpty<Members>(inputs, writeKeyState(state), written);
}

function recordOf(key: HeldKey, { fingerprint, createdAt }: State): RecordedKey {
  return { ...key, fingerprint, createdAt };
}

/** Keys of failed attempts to create this one, under its exact name or under names with its suffix. */
function toRevoke(state: State): readonly RecordedKey[] {
  const { key, inputs } = state;
  return pendingKeys(state, () => key?.name ?? inputs.name).filter(({ id }) => id !== key?.id);
}

/**
 * Creates the key of a resource, and waits until it is ready. What earlier attempts have left stays on record.
 * @param replaced - The key that the new one replaces, if its resource is deleted next.
 */
async function createFor(before: State, call: Call, replaced?: RecordedKey): Promise<Result<State>> {
  const { inputs } = before;
  const { name, onNameConflict } = inputs;
  const exact = name === undefined ? undefined : { name, onNameConflict, replaced };
  const made = await createKey(inputs, before, call, exact);
  const createdAt = made.key && made.createdAt;
  const { key, pending, cleanup, problem } = made;
  return { state: { ...before, ...cleanup, key, createdAt, pending, fingerprint: call.keyList.fingerprint }, problem };
}
