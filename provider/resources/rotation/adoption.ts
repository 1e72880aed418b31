import { KeyplaneError } from "../../errors";
import type { KeyToRevoke } from "../../keys/find-key";
import { nameInUrn } from "../../keys/names";
import { refusedTakeOver } from "../../keys/revoke-key";
import { accountFailures, sameScope } from "../../keys/scope";
import { hasUnknown, UNKNOWN } from "../../schema/field-types";
import type { Context, Failure } from "../../schema/resource-type";
import type { HeldName } from "../../schema/witness";
import { shownName } from "../../text";
import type { PlannedRotation } from "./rotation-fields";
import type { RotationState } from "./rotation-state";

/** A key created by hand that a resource adopts: its id and its secret. */
export interface Adoption {
  readonly id: string;
  readonly key: string;
}

/** The key to adopt; `undefined` if there is none, or if a preview does not know it yet. */
export function adoptionOf({ adopt }: PlannedRotation): Adoption | undefined {
  return adopt === undefined || adopt === UNKNOWN || hasUnknown(adopt) ? undefined : adopt;
}

/**
 * Reasons against an adoption that need no request. Without any, says that a new resource adopts a key, because a
 * preview shows only that a resource is to be created.
 * @param before - The inputs in the state; none if the resource is to be created.
 */
export function adoptionRules(inputs: PlannedRotation, context: Context, before: PlannedRotation): readonly Failure[] {
  const adopt = adoptionOf(inputs);
  if (adopt === undefined) return [];
  const { run, urn } = context;
  const other = run.adopters.get(adopt.id) ?? urn;
  run.adopters.set(adopt.id, other);
  if (other !== urn) {
    const name = nameInUrn(other);
    const reason = `names key ${adopt.id}, which ${JSON.stringify(name)} also adopts. Only one resource can adopt a key`;
    return [{ property: "adopt.id", reason }];
  }
  const isNew = Object.keys(before).length === 0 && run.lastHolders.get(adopt.id) !== urn;
  // The owner reports settings that cannot be read.
  if (!isNew || accountFailures(inputs, context).length > 0) return [];
  const refused = heldByOther(adopt, context) ?? refusedTakeOver(adopt.key, "adopt.key", context);
  if (refused !== undefined) return [{ property: "", reason: refused.message, code: refused.code }];
  context.info(`adopts key ${adopt.id}, creates none`);
  return [];
}

/** The refusal of a key that another resource of the stack holds; `undefined` if none is known to. */
export function heldByOther({ id }: Adoption, { run }: Context): KeyplaneError | undefined {
  if (!run.holders.has(id)) return undefined;
  const holder = run.lastHolders.get(id);
  const named = holder === undefined ? "another resource" : JSON.stringify(shownName(nameInUrn(holder)));
  return new KeyplaneError("KP-ADOPT", `key ${id} belongs to ${named} in this stack. Remove adopt to get a new key`);
}

/**
 * Throws if the program asks an existing resource to adopt another key, which would mean giving up its own keys, or its
 * own key in another scope, where it would be revoked together with the old resource.
 */
export function refuseLateAdoption(state: RotationState, inputs: PlannedRotation): void {
  const adopt = adoptionOf(inputs);
  if (adopt === undefined) return;
  const held = state.current ?? state.previous;
  const own = held === undefined ? "keys of its own" : `key ${held.id}`;
  if (adopt.id !== state.adopted?.id && !heldBy(state).some(({ id }) => id === adopt.id)) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `adopt names key ${adopt.id}, but this resource already has ${own}. Only a new resource can adopt ` +
        "a key. Remove adopt here, and declare another resource for the key",
    );
  }
  if (!sameScope(state.inputs, inputs) || state.inputs.projectId !== inputs.projectId) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `adopt still names key ${adopt.id}, which this resource holds and which is revoked when it is replaced. Remove ` +
        "adopt, so that the replacement gets a new key",
    );
  }
}

/**
 * Keys to revoke. Their names have the owner's tag, except the name of an adopted key. Those that were never handed out can
 * be as new as the current key.
 */
export function keysToRevoke(ids: readonly string[], state: RotationState): readonly KeyToRevoke[] {
  const { adopted, createdAt, pendingRevocations } = state;
  return ids.map((id) => ({
    ...{ id, name: adopted?.id === id ? adopted.name : undefined },
    createdAt: pendingRevocations.includes(id) ? createdAt : undefined,
  }));
}

export function heldBy(state: RotationState): readonly HeldName[] {
  const { current, previous, pendingRevocations, compromised, retired } = state;
  const others = [...pendingRevocations, ...compromised, ...retired].map((id) => ({ id }));
  return [...[current, previous].filter((key) => key !== undefined), ...others];
}
