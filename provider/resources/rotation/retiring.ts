import type { ApiKeyRecord } from "../../api/records";
import { formatDuration, isoOf } from "../../duration";
import { isAborted, messageOf } from "../../errors";
import type { Call } from "../../keys/call";
import { deadlineIn } from "../../keys/deadline";
import { findKey } from "../../keys/finding";
import { formatKey } from "../../keys/naming";
import { stepOf } from "../../keys/orphans";
import { fateOf, type PreviousFacts, type PreviousFate } from "../../keys/retirement";
import { revokeAll, settingWith } from "../../keys/revoking";
import type { HeldKey } from "../../keys/state";
import { deliveredSince } from "../../stack/history";
import { shownName } from "../../text";
import { NotReady } from "../resource";
import { overlapOf } from "./fields";
import { retireReason } from "./plan";
import { type RotationState, recorded, withoutPrevious } from "./state";

/**
 * Asks whether the previous key can be revoked, if it is time, and revokes it. A key that stays is asked about again at
 * `retireAfter`; until then, no run shows a difference. Throws `NotReady` if a key that `revokeNow` names stays live.
 */
export async function retirePrevious(state: RotationState, call: Call): Promise<RotationState> {
  const { previous, inputs } = state;
  const { place, row } = call;
  const reason = retireReason(state, inputs, place.account.now());
  if (previous === undefined || reason === undefined) return state;
  const key = `key ${formatKey(previous)}`;
  const ownSetting = settingWith(previous, call);
  if (ownSetting !== undefined) {
    row.warn(
      `key ${previous.id} is due to be revoked, but keyplane still authenticates with it (${ownSetting}). Revoking it ` +
        `would lock keyplane out. Set ${ownSetting} to the secret of key ${state.current?.id}, this resource's \`key\`, and ` +
        "run `pulumi up` again",
    );
    return state;
  }
  const isNamed = reason.field === "revokeNow";
  const { deliveredAt, why } = isNamed ? NOT_ASKED : await deliveryOf(state, call);
  const delivered = typeof deliveredAt === "number" ? { ...state, deliveredAt: isoOf(deliveredAt) } : state;
  const found = await lookUp(previous, state, call);
  if (found === undefined) return withoutPrevious(delivered);
  if (!isNamed) {
    const fate = judge(found, deliveredAt, delivered, call);
    report(previous, { ...found, fate, why }, delivered, call);
    if (fate.fate === "keep") return { ...delivered, retireAfter: isoOf(fate.until) };
  }
  row.progress(`revoking key ${previous.id}`);
  const live = await revokeAll([recorded(previous, state)], call);
  if (live.length === 0) {
    row.info(`revoked ${key}. Its successor is key ${state.current?.id}`);
    return withoutPrevious(delivered);
  }
  if (isNamed) throw stillLive(previous.id, delivered, call);
  return delivered;
}

/** The failure of a run that had to revoke a key. The state has it on record. */
export function stillLive(id: string, state: RotationState, { id: resource = "" }: Call): NotReady<RotationState> {
  const message = `key ${id}, which revokeNow names, could not be revoked. Run \`pulumi up\` again, or revoke it in the console`;
  return new NotReady(resource, state, message, "KP-REVOKE");
}

/** When a whole run had delivered the current key, and why that is unknown, as the end of a sentence. */
interface Delivery {
  readonly deliveredAt: PreviousFacts["deliveredAt"];
  readonly why: string;
}

const NOT_ASKED: Delivery = { deliveredAt: "unknown", why: "" };

async function deliveryOf({ deliveredAt, rotatedAt }: RotationState, call: Call): Promise<Delivery> {
  if (deliveredAt !== undefined) return { deliveredAt: Date.parse(deliveredAt), why: "" };
  const runs = await call.stack.history(stepOf(call));
  if ("unread" in runs) return { deliveredAt: "unknown", why: `could not be read: ${runs.unread}` };
  return {
    deliveredAt: deliveredSince(runs, Date.parse(rotatedAt ?? "")),
    why: "does not say whether a run was limited to a part of the stack",
  };
}

/** What the service lists about a previous key, and about its successor. */
interface Listed {
  /** `unknown` if that cannot be found out. */
  readonly record: ApiKeyRecord | "unknown";
  readonly lastUsed: PreviousFacts["lastUsed"];
  readonly isSuccessorUsed: boolean;
}

/** What the service lists; `undefined` if the previous key is proven to be gone. */
async function lookUp(previous: HeldKey, state: RotationState, call: Call): Promise<Listed | undefined> {
  try {
    // A recent list shows how the keys were used, and need not be newer than what this run has created.
    const record = await findKey(recorded(previous, state), call, { recent: true });
    const successor = state.current && (await call.place.keys.find(state.current.id, { recent: true }));
    const isSuccessorUsed = typeof successor?.lastUsedAt === "string";
    return record && { record, lastUsed: await lastUseOf(record, call), isSuccessorUsed };
  } catch (error) {
    if (isAborted(error)) throw error;
    call.row.warn(`the last use of key ${previous.id} is unknown: ${messageOf(error)}`);
    return { record: "unknown", lastUsed: "unknown", isSuccessorUsed: false };
  }
}

/** A service that shows no use, not even that of keyplane's own key, does not say that a key is unused. */
async function lastUseOf({ lastUsedAt }: ApiKeyRecord, { place }: Call): Promise<PreviousFacts["lastUsed"]> {
  if (lastUsedAt !== null) return Date.parse(lastUsedAt);
  const { account, keys } = place;
  const isShown = (await keys.showsUses()) || (keys !== account.keys && (await account.keys.showsUses()));
  return isShown ? "never" : "unknown";
}

function judge(
  { lastUsed, isSuccessorUsed }: Listed,
  deliveredAt: PreviousFacts["deliveredAt"],
  { previous, inputs, rotatedAt }: RotationState,
  { place: { account } }: Call,
): PreviousFate {
  return fateOf({
    ...overlapOf(inputs),
    rotatedAt: Date.parse(rotatedAt ?? ""),
    deliveredAt,
    lastUsed,
    isSuccessorUsed,
    deadline: previous && deadlineIn(previous.name),
    now: Math.min(account.now(), account.serviceNow()),
  });
}

function report(
  previous: HeldKey,
  { record, fate, why }: Listed & { readonly fate: PreviousFate; readonly why: string },
  { current, inputs }: RotationState,
  { row }: Call,
): void {
  const key = `key ${formatKey(previous)}`;
  const successor = `its successor, key ${current?.id}`;
  const { lastUsedAt, lastUsedFromAddr } = record === "unknown" ? {} : record;
  const use = `was last used ${lastUsedAt} from ${shownName(lastUsedFromAddr ?? "an unknown address")}`;
  if (fate.fate === "revoke") {
    if (fate.despite === "use") row.warn(`${key} ${use}. It is revoked anyway, because maxOverlap is over`);
    if (fate.despite === "no history") {
      row.warn(
        `${key} is revoked, because maxOverlap is over. Whether its successor was delivered is unknown: the history of the stack ${why}`,
      );
    }
    if (fate.despite === "unused successor") {
      row.warn(`${key} is revoked, because maxOverlap is over, although nobody has used ${successor}`);
    }
    return;
  }
  const until = isoOf(fate.until);
  switch (fate.why) {
    case "grace":
      row.info(`${key} stays live at least until ${until}, a grace after its successor was delivered`);
      break;
    case "not delivered":
      row.info(
        `${key} stays live: no \`pulumi up\` of the whole stack has succeeded since the rotation, so its consumers may not have ` +
          `the new key. keyplane asks again after ${until}`,
      );
      break;
    case "no history":
      row.warn(
        `${key} stays live, because nothing shows whether its successor was delivered: the history of the stack ${why}. keyplane ` +
          `asks again after ${until}, and revokes it when maxOverlap is over`,
      );
      break;
    case "in use":
      row.warn(
        `${key} ${use}. It is kept until nobody has used it for ${formatDuration(overlapOf(inputs).quiet)}, but not longer than ` +
          `maxOverlap. keyplane asks again after ${until}. Give its users the current key`,
      );
      break;
    case "unused successor":
      row.warn(
        `${key} stays live, because requireUse is set and nobody has used ${successor}. It is kept until the service shows a use, ` +
          `but not longer than maxOverlap. keyplane asks again after ${until}. Give its users the current key`,
      );
      break;
    case "use unknown":
      row.info(
        `${key} stays live, because its last use is unknown, but not longer than maxOverlap. keyplane asks again after ${until}`,
      );
  }
}
