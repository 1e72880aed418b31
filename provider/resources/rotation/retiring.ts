import type { ApiKeyRecord } from "../../api/records";
import { formatDuration, isoOf } from "../../duration";
import { isAborted, KeyplaneError, messageOf } from "../../errors";
import type { Call } from "../../keys/call";
import { findKey } from "../../keys/finding";
import type { HeldKey } from "../../keys/key-state";
import { formatKey } from "../../keys/naming";
import type { PreviousFacts } from "../../keys/retirement";
import { ownSettingOf, revokeAll } from "../../keys/revoking";
import { deliveredSince } from "../../stack/history";
import { shownName } from "../../text";
import type { Result } from "../resource";
import { overlapOf } from "./fields";
import type { ActionOf, FoundPrevious, ListedPrevious } from "./plan";
import { type RotationState, recordOf, withoutPrevious } from "./rotation-state";

/** What a run has found out about the previous key. */
interface Asked {
  /** `undefined` for a key that keyplane itself authenticates with: it stays. */
  readonly previous?: FoundPrevious;
  /** When its successor was delivered, as ISO 8601, if it was. */
  readonly deliveredAt?: string | undefined;
}

/** Asks how the previous key is used and, if that counts, when its successor was delivered. */
export async function askAboutPrevious(
  state: RotationState,
  { key, isNamed }: ActionOf<"ask">,
  call: Call,
): Promise<Asked> {
  const { keyList, log } = call;
  const ownSetting = ownSettingOf(key, keyList);
  if (ownSetting !== undefined) {
    log.warn(
      `key ${key.id} is due to be revoked, but keyplane still authenticates with it (${ownSetting}). Revoking it ` +
        `would lock keyplane out. Set ${ownSetting} to the secret of key ${state.current?.id}, this resource's \`key\`, and ` +
        "run `pulumi up` again",
    );
    return {};
  }
  const { deliveredAt, why } = isNamed ? NOT_ASKED : await deliveryOf(state, call);
  const listed = await lookUp(key, state, call);
  return {
    previous: listed === undefined ? "gone" : { ...listed, deliveredAt, why, skewMs: keyList.account.skewMs ?? 0 },
    deliveredAt: typeof deliveredAt === "number" ? isoOf(deliveredAt) : undefined,
  };
}

/** Revokes the previous key. If that fails, the next run asks again. It is a problem only if `revokeNow` names the key. */
export async function retirePrevious(
  state: RotationState,
  action: ActionOf<"retire">,
  call: Call,
): Promise<Result<RotationState>> {
  const { key, decision } = action;
  const { log } = call;
  reportRevoked(state, action, call);
  log.progress(`revoking key ${key.id}`);
  const live = await revokeAll([recordOf(key, state)], call);
  if (live.length > 0) return { state, problem: decision === undefined ? stillLive(key.id) : undefined };
  log.info(`revoked key ${formatKey(key)}. Its successor is key ${state.current?.id}`);
  return { state: withoutPrevious(state) };
}

/** The failure of a run that had to revoke a key. The state has it on record. */
export function stillLive(id: string): KeyplaneError {
  const message = `key ${id}, which revokeNow names, could not be revoked. Run \`pulumi up\` again, or revoke it in the console`;
  return new KeyplaneError("KP-REVOKE", message);
}

/** When a whole run had delivered the current key, and why that is unknown, as the end of a sentence. */
interface Delivery {
  readonly deliveredAt: PreviousFacts["deliveredAt"];
  readonly why: string;
}

const NOT_ASKED: Delivery = { deliveredAt: "unknown", why: "" };

async function deliveryOf({ deliveredAt, rotatedAt }: RotationState, call: Call): Promise<Delivery> {
  if (deliveredAt !== undefined) return { deliveredAt: Date.parse(deliveredAt), why: "" };
  const runs = await call.stack.history(call);
  if ("unread" in runs) return { deliveredAt: "unknown", why: `could not be read: ${runs.unread}` };
  return {
    deliveredAt: deliveredSince(runs, Date.parse(rotatedAt ?? "")),
    why: "does not say whether a run was limited to a part of the stack",
  };
}

/** What the service lists about the previous key and its successor; `undefined` if the key is proven to be gone. */
async function lookUp(previous: HeldKey, state: RotationState, call: Call) {
  try {
    // A recent list shows how the keys were used, and need not be newer than what this run has created.
    const record = await findKey(recordOf(previous, state), call, { recent: true });
    const successor = state.current && (await call.keyList.keys.find(state.current.id, { recent: true }));
    const isSuccessorUsed = typeof successor?.lastUsedAt === "string";
    return record && { record, lastUsed: await lastUseOf(record, call), isSuccessorUsed };
  } catch (error) {
    if (isAborted(error)) throw error;
    call.log.warn(`the last use of key ${previous.id} is unknown: ${messageOf(error)}`);
    return { record: "unknown", lastUsed: "unknown", isSuccessorUsed: false } as const;
  }
}

/** A service that shows no use, not even that of keyplane's own key, does not say that a key is unused. */
async function lastUseOf({ lastUsedAt }: ApiKeyRecord, { keyList }: Call): Promise<PreviousFacts["lastUsed"]> {
  if (lastUsedAt !== null) return Date.parse(lastUsedAt);
  const { account, keys } = keyList;
  const isShown = (await keys.showsUses()) || (keys !== account.keys && (await account.keys.showsUses()));
  return isShown ? "never" : "unknown";
}

/** Says why the previous key is revoked although something speaks for its use. */
function reportRevoked(
  { current }: RotationState,
  { key: previous, decision, found }: ActionOf<"retire">,
  { log }: Call,
): void {
  const key = `key ${formatKey(previous)}`;
  if (decision?.despite === "use")
    log.warn(`${key} ${lastUseIn(found)}. It is revoked anyway, because maxOverlap is over`);
  if (decision?.despite === "no history") {
    log.warn(
      `${key} is revoked, because maxOverlap is over. Whether its successor was delivered is unknown: the history of the stack ${found.why}`,
    );
  }
  if (decision?.despite === "unused successor") {
    log.warn(
      `${key} is revoked, because maxOverlap is over, although nobody has used its successor, key ${current?.id}`,
    );
  }
}

function lastUseIn({ record }: ListedPrevious): string {
  const { lastUsedAt, lastUsedFromAddr } = record === "unknown" ? {} : record;
  return `was last used ${lastUsedAt} from ${shownName(lastUsedFromAddr ?? "an unknown address")}`;
}

/** Says why the previous key stays. */
export function reportKept(
  { current, inputs }: RotationState,
  { key: previous, decision, found }: ActionOf<"keep">,
  { log }: Call,
): void {
  const key = `key ${formatKey(previous)}`;
  const successor = `its successor, key ${current?.id}`;
  const until = isoOf(decision.until);
  switch (decision.why) {
    case "grace":
      log.info(`${key} stays live at least until ${until}, a grace after its successor was delivered`);
      break;
    case "not delivered":
      log.info(
        `${key} stays live: no \`pulumi up\` of the whole stack has succeeded since the rotation, so its consumers may not have ` +
          `the new key. keyplane asks again after ${until}`,
      );
      break;
    case "no history":
      log.warn(
        `${key} stays live, because nothing shows whether its successor was delivered: the history of the stack ${found.why}. keyplane ` +
          `asks again after ${until}, and revokes it when maxOverlap is over`,
      );
      break;
    case "in use":
      log.warn(
        `${key} ${lastUseIn(found)}. It is kept until nobody has used it for ${formatDuration(overlapOf(inputs).quiet)}, but not longer than ` +
          `maxOverlap. keyplane asks again after ${until}. Give its users the current key`,
      );
      break;
    case "unused successor":
      log.warn(
        `${key} stays live, because requireUse is set and nobody has used ${successor}. It is kept until the service shows a use, ` +
          `but not longer than maxOverlap. keyplane asks again after ${until}. Give its users the current key`,
      );
      break;
    case "use unknown":
      log.info(
        `${key} stays live, because its last use is unknown, but not longer than maxOverlap. keyplane asks again after ${until}`,
      );
  }
}
