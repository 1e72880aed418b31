import { randomUUID } from "node:crypto";
import { InputError } from "../errors";
import type { Call } from "../keys/call";
import { graceOf } from "../keys/deadline";
import { nextDue, rotateAt } from "../keys/fields";
import { findKey, mustBeHere } from "../keys/finding";
import { asListed, reportPrevious } from "../keys/limit-reports";
import { settleLost } from "../keys/lost";
import { formatKey } from "../keys/naming";
import { besideOrphans, revokeOrphans } from "../keys/orphans";
import { finishPending, wasHandedOut } from "../keys/readiness";
import { refuseOwnCredential, revokeAll, revokeKey } from "../keys/revoking";
import { type HeldKey, hasLeft } from "../keys/state";
import { COMMON_OUTPUTS, KEY_OUTPUTS, ROTATION_OUTPUTS } from "../outputs";
import { UNKNOWN } from "../schema/fields";
import { deleteKeys } from "./deleting";
import { atBorder, NotReady } from "./resource";
import { adoptionOf, adoptionRules, adoptKey, importKey, refuseLateAdoption } from "./rotation/adoption";
import { type PlannedRotation, type RotationInputs, rotationFields, rotationRules } from "./rotation/fields";
import { retireReason, rotationDue, rotationReason } from "./rotation/plan";
import { retirePrevious, stillLive } from "./rotation/retiring";
import { rotateKey, rotationTimes } from "./rotation/rotating";
import {
  heldBy,
  NOTHING,
  pendingKeys,
  type RotationState,
  readState,
  recorded,
  withInputs,
  withoutPrevious,
  writeState,
} from "./rotation/state";

/**
 * A current key and, for a time, the previous one: a rotation creates a new key and leaves the old one to its
 * consumers. A rotation does not replace the resource: only `update` rotates, because it knows exactly what is live.
 */
export const rotatingApiKey = atBorder<RotationInputs, RotationState>({
  name: "RotatingApiKey",
  hasKeys: true,
  fields: rotationFields,
  outputs: [...COMMON_OUTPUTS, ...ROTATION_OUTPUTS],
  canBeAbsent: ["digest", "rotateAt", "previousKeyId", "previousKey", "previousDigest", "retireAfter", "pending"],
  onlyWith: { sealTo: ["sealedKey", "previousSealedKey"], maxAge: ["expiresAt"] },
  readState,
  writeState,

  rules: (inputs, check, before) => [...rotationRules(inputs, check, before), ...adoptionRules(inputs, check, before)],

  due(state, inputs, now) {
    refuseLateAdoption(state, inputs);
    refuseUnknownKey(state, inputs);
    return rotationDue(state, inputs, now);
  },

  stable: (state, inputs, now) => (rotationReason(state, inputs, now) === undefined ? KEY_OUTPUTS : []),

  async create(inputs, call, replaced) {
    const held = replaced?.current ?? replaced?.previous;
    if (replaced !== undefined && held !== undefined) await mustBeHere(recorded(held, replaced), call);
    const id = randomUUID();
    const adopt = adoptionOf(inputs);
    if (adopt !== undefined) return { id, state: await adoptKey(adopt, inputs, call) };
    // Nothing is the state in which a rotation is due, because there is no key.
    const state = { ...withInputs(NOTHING, inputs), fingerprint: call.place.fingerprint };
    return { id, state: await besideOrphans(call, () => rotateIfDue(state, NOTHING, { ...call, id })) };
  },

  async read(state, call) {
    const { current, previous } = state;
    await revokeOrphans(call);
    if (current === undefined && previous === undefined) return state;
    const [currentFound, previousFound] = await Promise.all([
      current && findKey(recorded(current, state), call),
      previous && findKey(recorded(previous, state), call),
    ]);
    const gone = [
      ...(current && !currentFound ? [current] : []),
      ...(previous && !previousFound && !currentFound ? [previous] : []),
    ];
    if (gone.length > 0) {
      const names = gone.map((key) => `key ${formatKey(key)}`).join(" and ");
      const rest = previousFound ? `The previous key, ${previousFound.id}, is still live. ` : "";
      const are = gone.length === 1 ? "is" : "are";
      call.row.warn(`${names} ${are} gone from the account. ${rest}The next \`pulumi up\` creates a new key`);
    }
    // Removing the resource would lose the keys that are not revoked yet, or may still appear.
    if (currentFound === undefined && previousFound === undefined && !hasLeft(state)) return undefined;
    const kept = previousFound === undefined ? withoutPrevious(state) : state;
    const live = currentFound === undefined ? { ...kept, current: undefined, pending: [] } : kept;
    reportPrevious(state.inputs, previousFound, call.row);
    const listed = currentFound === undefined ? state.inputs : asListed(state.inputs, currentFound, call.row);
    return { ...live, inputs: listed, fingerprint: call.place.fingerprint };
  },

  async update(saved, inputs, call) {
    const state = withInputs(saved, inputs);
    reportQueued(state, saved, call);
    const now = call.place.account.now();
    const isBusy = saved.pending.length > 0 || hasLeft(saved) || retireReason(state, inputs, now) !== undefined;
    if (!isBusy && !rotatesNow(state, now)) {
      reportClosedWindow(state, call);
      return state;
    }
    return besideOrphans(call, async () => {
      const ready = await waitUntilReady(state, saved, call);
      const lost = await settleLost(ready.lost, saved.fingerprint, call);
      const cleared = await revokePending({ ...ready, lost }, call);
      const rotated = await rotateIfDue(await retirePrevious(cleared, call), saved, call);
      if (rotated.current === cleared.current) return rotated;
      // What had to wait for a current key that is ready.
      const isNamed = rotated.previous !== undefined && rotated.previous.id === inputs.revokeNow;
      const revoked = await revokePending(rotated, call);
      return isNamed ? retirePrevious(revoked, call) : revoked;
    });
  },

  import: async (id, key, inputs, call) => ({ id: randomUUID(), ...(await importKey(id, key, inputs, call)) }),

  async delete(state, call) {
    await deleteKeys(state, pendingKeys(state), call, async () => {
      const keys = [state.previous, state.current].filter((key) => key !== undefined);
      const kept = keys.filter((key) => staysLive(key, state));
      for (const key of kept) call.row.info(`key ${formatKey(key)} stays live, because revokeOnDelete is false`);
      const toRevoke = keys.filter((key) => !kept.includes(key));
      // Before the first revocation, so that a refusal leaves both keys.
      for (const key of toRevoke) refuseOwnCredential(key, call);
      for (const key of toRevoke) {
        call.row.progress(`revoking key ${key.id}`);
        await revokeKey(recorded(key, state), call);
      }
    });
  },
});

function staysLive(key: HeldKey, { current, pending, inputs }: RotationState): boolean {
  const { revokeOnDelete, revokeNow } = inputs;
  return revokeOnDelete === false && key.id !== revokeNow && (key !== current || wasHandedOut(pending));
}

/** Whether a rotation is due and does not wait for the previous key. */
function rotatesNow(state: RotationState, now: number): boolean {
  const reason = rotationReason(state, state.inputs, now);
  return reason !== undefined && (reason.urgent || state.previous === undefined);
}

/** Rotates the key if it is due and the previous one is gone, or if it is urgent. */
async function rotateIfDue(state: RotationState, saved: RotationState, call: Call): Promise<RotationState> {
  const now = call.place.account.now();
  const reason = rotationReason(state, state.inputs, now);
  if (reason === undefined) reportClosedWindow(state, call);
  return reason !== undefined && rotatesNow(state, now) ? rotateKey(state, reason, saved, call) : state;
}

/** Reports a change that must wait for the previous key, when the program makes it. */
function reportQueued(state: RotationState, saved: RotationState, call: Call): void {
  const now = call.place.account.now();
  const reason = rotationReason(state, state.inputs, now);
  if (state.previous === undefined || reason === undefined || reason.urgent || reason.field === "rotateAfter") return;
  if (rotationReason(saved, saved.inputs, now)?.field === reason.field) return;
  call.row.info(`${reason.why}. The key rotates as soon as the previous key, ${state.previous.id}, can be revoked`);
}

/** Reports a key whose window has closed without a rotation, for example since the preview of this run. */
function reportClosedWindow({ current, createdAt, inputs }: RotationState, { place, row }: Call): void {
  const due = current && nextDue(createdAt, inputs, graceOf(inputs));
  const at = rotateAt(createdAt, inputs, graceOf(inputs));
  const now = place.account.now();
  if (due === undefined || at === undefined || Date.parse(at) > now) return;
  const next = new Date(due(now)).toISOString();
  row.info(`the key is due for rotation since ${at}, but rotationWindow is closed now. It opens again at ${next}`);
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

/** Waits until an existing key is ready. It was not handed out before, so its predecessor's grace starts then. */
async function waitUntilReady(state: RotationState, saved: RotationState, call: Call): Promise<RotationState> {
  const { current, inputs } = state;
  const isOver = current?.id === inputs.revokeNow || state.pending.some((work) => work.status === "failed");
  if (current === undefined || isOver || state.pending.length === 0) return state;
  const { pending, unready } = await finishPending(state.pending, current, inputs, call);
  if (unready !== undefined) throw new NotReady(call.id ?? "", { ...state, pending }, unready);
  const times = saved.previous === undefined ? {} : rotationTimes(call.place.account, inputs);
  return { ...state, pending, ...times };
}

/** Revokes pending keys once their successor is ready. Until then, a consumer may have no other key. */
async function revokePending(state: RotationState, call: Call): Promise<RotationState> {
  if (state.current === undefined || state.pending.length > 0) return state;
  const next = { ...state, pendingRevocations: await revokeAll(pendingKeys(state), call) };
  const { revokeNow } = state.inputs;
  if (revokeNow !== undefined && next.pendingRevocations.includes(revokeNow)) throw stillLive(revokeNow, next, call);
  return next;
}
