import { compareProject, describeProjectScope } from "../../api/keys/project-of-key";
import { KeyplaneError } from "../../errors";
import type { Call } from "../../keys/call";
import { reportSkew } from "../../keys/clock";
import { keyToImport, proveKey, refuseOwnKey } from "../../keys/existing-key";
import { heldFrom } from "../../keys/key-state";
import { formatKey, shownResource } from "../../keys/naming";
import { reportUnsaid } from "../../keys/project-reports";
import { accountFailures, claimInScope, sameScope } from "../../keys/scope";
import { type Members, textOf, withoutEmpty } from "../../members";
import type { CheckCall, Failure } from "../../schema/check";
import { hasUnknown, UNKNOWN } from "../../schema/fields";
import type { Imported } from "../resource";
import type { PlannedRotation, RotationInputs } from "./fields";
import { heldBy, NOTHING, type RotationState } from "./rotation-state";

/** A key created by hand that a resource adopts: its id and its secret. */
interface Adoption {
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
 * @param before - The inputs of the resource so far; empty if it is to be created.
 */
export function adoptionRules(inputs: PlannedRotation, check: CheckCall, before: Members): readonly Failure[] {
  const adopt = adoptionOf(inputs);
  if (adopt === undefined) return [];
  const other = claimInScope(`adoption of ${adopt.id}`, inputs, check);
  if (other !== undefined) {
    const reason = `names key ${adopt.id}, which ${shownResource(other)} also adopts. Only one resource can adopt a key`;
    return [{ property: "adopt.id", reason }];
  }
  if (Object.keys(before).length > 0 || accountFailures(inputs, check).length > 0) return [];
  const refused = refuseOwnKey(adopt.key, "adopt.key", check.settings(textOf(inputs.account)));
  if (refused !== undefined) return [{ property: "", reason: refused.message, code: refused.code }];
  check.info(`adopts key ${adopt.id}, creates none`);
  return [];
}

/** Adopts a key that was created by hand. Changes nothing on the service. */
export async function adoptKey(adopt: Adoption, inputs: RotationInputs, call: Call): Promise<RotationState> {
  const existing = { ...adopt, code: "KP-ADOPT", source: "adopt.key" } as const;
  const found = await proveKey({ ...existing, instead: ", or remove adopt to get a new key" }, inputs, call);
  const { name, createdAt, projectId } = found;
  // Also the old resource of a replacement, whose deletion would revoke the key.
  const state = await call.stack.state(call);
  if ("unread" in state) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `whether a resource of this stack has key ${adopt.id} is unknown: ${state.unread}. Remove adopt if one has it`,
    );
  }
  const holder = state.holderOf(found);
  if (holder !== undefined) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${adopt.id} belongs to ${shownResource(holder.urn)} in this stack. Remove adopt to get a new key`,
    );
  }
  const other = state.foreignHolderOf(found);
  if (other !== undefined) {
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${adopt.id} belongs to ${shownResource(other)} of another provider, which can revoke it when that resource is removed. ` +
        "Set retainOnDelete there and run `pulumi up` first",
    );
  }
  if (state.holds(found) !== "no") {
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${adopt.id} is not adopted: a resource of this stack is to revoke it, or the state hides which keys its ` +
        "resources have. Remove adopt to get a new key",
    );
  }
  if (compareProject(inputs.projectId, projectId) === "other") {
    const way = projectId === null ? "Remove projectId" : "Set projectId to that project";
    throw new KeyplaneError(
      "KP-ADOPT",
      `key ${formatKey(found)} ${describeProjectScope(projectId)}. ${way}, or adopt another key`,
    );
  }
  reportUnsaid(inputs, found, call.log);
  reportSkew(call);
  call.log.info(`adopted key ${formatKey(found)}. Remove adopt and its secret from the program when this run is done`);
  return stateOfExisting(adopt, { name, createdAt }, inputs, call);
}

/** Imports a key that was created by hand, or that a lost state contained. */
export async function importKey(
  id: string,
  key: string | undefined,
  inputs: RotationInputs,
  call: Call,
): Promise<Omit<Imported<RotationInputs, RotationState>, "id">> {
  const existing = keyToImport(id, key);
  const record = await proveKey(existing, inputs, call);
  const found = withoutEmpty({ ...inputs, projectId: record.projectId ?? undefined });
  return { inputs: found, state: stateOfExisting(existing, record, found, call) };
}

/** The state of a resource that starts with an existing key, whose name has not its suffix. */
function stateOfExisting(
  { id, key }: Adoption,
  { name, createdAt }: { readonly name: string; readonly createdAt: string },
  inputs: RotationInputs,
  { keyList }: Call,
): RotationState {
  return {
    ...NOTHING,
    inputs,
    current: heldFrom({ id, name, key }),
    createdAt,
    adopted: { id, name },
    fingerprint: keyList.fingerprint,
  };
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
  if (adopt.id !== state.adopted?.id && !heldBy(state).includes(adopt.id)) {
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
