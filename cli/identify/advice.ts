import { nameInUrn } from "../../provider/keys/naming";
import { isWord, revokeCommand, scopeOf } from "../../provider/keys/scope";
import { shownName } from "../../provider/text";
import { type AccountFlags, flagsFor } from "../account";
import type { Holding } from "./holdings";
import type { KeyAnswer } from "./service";

/**
 * What to do about a leaked key, step by step.
 * @param listed - What its account lists; `undefined` if it was not asked.
 * @param command - The command that revokes it.
 */
export function adviceFor(holding: Holding, listed: KeyAnswer | undefined, command: string): readonly string[] {
  const { keyId, name, stack, roleNow } = holding;
  const revokeIt =
    listed?.record === undefined
      ? `At once, with the settings of its account: \`${command}\`. If the plan shows ${shownName(name)}, repeat it with \`--yes\``
      : `At once, whoever uses it: \`${command}\``;
  if (listed !== undefined && listed.record === undefined) {
    return [
      `The account in the settings does not list key ${keyId}: it is revoked, or in another account. \`--check\` tries it`,
      revokeIt,
    ];
  }
  // Its resource has left the program, so that nothing there can replace it.
  if (roleNow === "kept") return [revokeIt];
  const revoke = `${revokeIt}, and then \`pulumi up --refresh\` of ${stack}`;
  if (roleNow === undefined) {
    return [
      `The newest given state of ${stack} does not have the key. Check with \`keyplane keys\` that it is revoked`,
      revoke,
    ];
  }
  if (roleNow === "to be revoked") return [`The next \`pulumi up\` of ${stack} revokes it`, revoke];
  return [`${changeOf(holding)}, and run \`pulumi up\` of ${stack}: ${effectOf(holding)}`, revoke];
}

/** The first step if keyplane authenticates with the key: without another one, its revocation locks keyplane out. */
export function replaceFirst(credential: string | undefined): readonly string[] {
  const use = "Create another key, set it instead, and run `pulumi up` of the stacks that use it";
  return credential === undefined ? [] : [`keyplane authenticates with it (${credential}). ${use}`];
}

function effectOf({ role, type, stays }: Holding): string {
  if (role === "previous") return "it is revoked without grace";
  if (type === "RotatingApiKey")
    return "it is replaced and revoked at once, and then everything in the stack gets the new key";
  return `everything in the stack gets a new key, ${stays ? "but this one stays live" : "and then this one is revoked"}`;
}

/** The change of the program that replaces a key. */
function changeOf({ keyId, type, urn, hasTriggers }: Holding): string {
  const name = nameInUrn(urn);
  if (type === "RotatingApiKey") return `Set \`revokeNow: "${keyId}"\` in the arguments of RotatingApiKey "${name}"`;
  if (hasTriggers) return `Add \`leaked: "${keyId}"\` to the rotationTriggers of ApiKey "${name}"`;
  // The first triggers replace nothing.
  const option = isWord(urn) ? `\`--replace '${urn}'\`` : `the option --replace with the URN of ApiKey "${name}"`;
  return `Leave the program as it is, add ${option}`;
}

/** The command that revokes a key where it was looked for. Elsewhere, the id can be somebody else's: it shows its plan. */
export function revokeNow(holding: Holding, selected: AccountFlags, listed: KeyAnswer | undefined): string {
  const { account, baseUrl } = flagsFor(selected.account ?? holding.account, selected);
  const command = revokeCommand(holding.keyId, scopeOf({ ...holding, account }), baseUrl);
  return `${command}${listed?.record === undefined ? "" : " --yes"}`;
}
