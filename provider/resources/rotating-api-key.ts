import { randomUUID } from "node:crypto";
import { InputError } from "../errors";
import type { Call } from "../keys/call";
import { findKey, mustBeHere } from "../keys/finding";
import { type HeldKey, hasCleanup } from "../keys/key-state";
import { formatKey } from "../keys/naming";
import { besideOrphans, revokeOrphans } from "../keys/orphans";
import { asListed, reportPrevious } from "../keys/project-reports";
import { isReady } from "../keys/readiness";
import { refuseOwnCredential, revokeKey } from "../keys/revoking";
import { KEY_OUTPUTS, OF_ROTATING_API_KEY } from "../outputs";
import { UNKNOWN } from "../schema/fields";
import { deleteKeys } from "./deleting";
import { atBorder } from "./resource";
import { carryOut } from "./rotation/actions";
import { adoptionOf, adoptionRules, adoptKey, importKey, refuseLateAdoption } from "./rotation/adoption";
import { type PlannedRotation, type RotationInputs, rotationFields, rotationRules } from "./rotation/fields";
import { dueActions, nextAction, type Rotation, rotationOf } from "./rotation/plan";
import { rotateKey } from "./rotation/rotating";
import {
  heldBy,
  NOTHING,
  type RotationState,
  readState,
  recordOf,
  toRevoke,
  withInputs,
  withoutPrevious,
  writeState,
} from "./rotation/rotation-state";

/**
 * A current key and, for a time, the previous one: a rotation creates a new key and leaves the old one to its
 * consumers. A rotation does not replace the resource: only `update` rotates, because it knows exactly what is live.
 */
export const rotatingApiKey = atBorder<RotationInputs, RotationState>({
  name: "RotatingApiKey",
  hasKeys: true,
  fields: rotationFields,
  ...OF_ROTATING_API_KEY,
  readState,
  writeState: (state) => ({ ...writeState(state), nextAction: nextAction(state) }),

  rules: (inputs, check, before) => [...rotationRules(inputs, check, before), ...adoptionRules(inputs, check, before)],

  due(state, inputs, now) {
    refuseLateAdoption(state, inputs);
    refuseUnknownKey(state, inputs);
    return dueActions(state, inputs, now);
  },

  stable: (state, inputs, now) => (rotationOf(state, inputs, now).why === undefined ? KEY_OUTPUTS : []),

  async create(inputs, call, replaced) {
    const held = replaced?.current ?? replaced?.previous;
    if (replaced !== undefined && held !== undefined) await mustBeHere(recordOf(held, replaced), call);
    const id = randomUUID();
    const adopt = adoptionOf(inputs);
    if (adopt !== undefined) return { id, state: await adoptKey(adopt, inputs, call) };
    const state = { ...withInputs(NOTHING, inputs), fingerprint: call.keyList.fingerprint };
    const first = rotationOf(state, inputs, call.keyList.account.now());
    return { id, ...(await besideOrphans(call, () => rotateKey(state, first, NOTHING, call))) };
  },

  async read(state, call) {
    const { current, previous } = state;
    await revokeOrphans(call);
    if (current === undefined && previous === undefined) return state;
    const [currentFound, previousFound] = await Promise.all([
      current && findKey(recordOf(current, state), call),
      previous && findKey(recordOf(previous, state), call),
    ]);
    const gone = [
      ...(current && !currentFound ? [current] : []),
      ...(previous && !previousFound && !currentFound ? [previous] : []),
    ];
    if (gone.length > 0) {
      const names = gone.map((key) => `key ${formatKey(key)}`).join(" and ");
      const rest = previousFound ? `The previous key, ${previousFound.id}, is still live. ` : "";
      const are = gone.length === 1 ? "is" : "are";
      call.log.warn(`${names} ${are} gone from the account. ${rest}The next \`pulumi up\` creates a new key`);
    }
    // Removing the resource would lose the keys that are not revoked yet, or may still appear.
    if (currentFound === undefined && previousFound === undefined && !hasCleanup(state)) return undefined;
    const kept = previousFound === undefined ? withoutPrevious(state) : state;
    const live = currentFound === undefined ? { ...kept, current: undefined, pending: [] } : kept;
    reportPrevious(state.inputs, previousFound, call.log);
    const listed = currentFound === undefined ? state.inputs : asListed(state.inputs, currentFound, call.log);
    return { ...live, inputs: listed, fingerprint: call.keyList.fingerprint };
  },

  async update(saved, inputs, call) {
    const state = withInputs(saved, inputs);
    const now = call.keyList.account.now();
    reportQueued(state, rotationOf(state, inputs, now), rotationOf(saved, saved.inputs, now), call);
    const run = () => carryOut(saved, state, call, now);
    return dueActions(state, inputs, now).length > 0 ? besideOrphans(call, run) : run();
  },

  import: async (id, key, inputs, call) => ({ id: randomUUID(), ...(await importKey(id, key, inputs, call)) }),

  async delete(state, call) {
    await deleteKeys(state, toRevoke(state), call, async () => {
      const keys = [state.previous, state.current].filter((key) => key !== undefined);
      const kept = keys.filter((key) => staysLive(key, state));
      for (const key of kept) call.log.info(`key ${formatKey(key)} stays live, because revokeOnDelete is false`);
      const others = keys.filter((key) => !kept.includes(key));
      // Before the first revocation, so that a refusal leaves both keys.
      for (const key of others) refuseOwnCredential(key, call);
      for (const key of others) {
        call.log.progress(`revoking key ${key.id}`);
        await revokeKey(recordOf(key, state), call);
      }
    });
  },
});

function staysLive(key: HeldKey, { current, pending, inputs }: RotationState): boolean {
  const { revokeOnDelete, revokeNow } = inputs;
  return revokeOnDelete === false && key.id !== revokeNow && (key !== current || isReady(pending));
}

/** Reports a change that must wait for the previous key, when the program makes it. */
function reportQueued(
  { previous }: RotationState,
  { field, why, urgent }: Rotation,
  before: Rotation,
  { log }: Call,
): void {
  if (previous === undefined || why === undefined || urgent || field === "rotateAfter") return;
  if (before.field === field) return;
  log.info(`${why}. The key rotates as soon as the previous key, ${previous.id}, can be revoked`);
}

/**
 * Throws if a new `revokeNow` is not a key of the resource, so that in an incident nobody believes that a key was
 * revoked that was not. An unchanged `revokeNow` can name a key that is already revoked.
 */
function refuseUnknownKey(state: RotationState, { revokeNow }: PlannedRotation): void {
  if (revokeNow === undefined || revokeNow === UNKNOWN || revokeNow === state.inputs.revokeNow) return;
  const { current, previous } = state;
  if (heldBy(state).includes(revokeNow)) return;
  const own = [current && `${current.id} (current)`, previous && `${previous.id} (previous)`];
  throw new InputError(
    "revokeNow",
    `key ${revokeNow} is not a key of this resource, which has ${own.filter(Boolean).join(" and ") || "no key"}. ` +
      "Nothing was revoked. Set revokeNow to one of these ids, or remove it if the key is already revoked",
  );
}
