import { nameInUrn } from "../../provider/keys/names";
import type { Holding } from "./holdings";

/**
 * What to do about a leaked key, step by step.
 * @param isListed - Whether its account lists it; `undefined` if it was not asked.
 */
export function adviceFor(holding: Holding, isListed: boolean | undefined): readonly string[] {
  const { keyId, stack, urn, roleNow, isCopy } = holding;
  if (isListed === false) {
    return [
      `Nothing: the account does not list key ${keyId}. It is revoked, and \`pulumi up --refresh\` of ${stack} notices`,
    ];
  }
  const revoke = `At once, whoever uses it: \`${revokeCommand(holding)}\`, and then \`pulumi up --refresh\` of ${stack}`;
  if (isCopy) {
    return [`Pass the state of the stack that created the key: ${stack} is a copy, and does not revoke it`, revoke];
  }
  if (roleNow === undefined) {
    return [
      `The newest given state of ${stack} does not have the key. Check with \`keyplane keys\` that it is revoked`,
      revoke,
    ];
  }
  if (roleNow === "to be revoked") return [`The next complete \`pulumi up\` of ${stack} revokes it`, revoke];
  const up = `run \`pulumi up\` of ${stack}`;
  return [`${changeOf(holding, nameInUrn(urn))}, and ${up}: ${EFFECT}`, revoke];
}

const EFFECT = "everything in the stack gets a new key first";

/** The change of the program that replaces a key. */
function changeOf({ keyId, type, urn, hasTriggers }: Holding, name: string): string {
  if (type === "RotatingApiKey") return `Set \`revokeNow: "${keyId}"\` in the arguments of RotatingApiKey "${name}"`;
  // The first triggers replace nothing.
  if (!hasTriggers) return `Leave the program as it is, add \`--replace '${urn}'\``;
  return `Add \`leaked: "${keyId}"\` to \`rotationTriggers\` of ApiKey "${name}"`;
}

/** The command that revokes a key. */
export function revokeCommand({ keyId, account, organizationId }: Holding): string {
  const options = [account && `--account ${account}`, organizationId && `--organization ${organizationId}`];
  return ["npx keyplane revoke", keyId, ...options.filter(Boolean), "--yes"].join(" ");
}
