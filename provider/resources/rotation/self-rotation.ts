import { KeyplaneError } from "../../errors";
import type { HeldKey } from "./rotation-state";

/** Refuses to rotate the key that keyplane authenticates with, because the program has not set `selfRotation`. */
export function refuseSelfRotation({ keyId }: HeldKey, setting: string): KeyplaneError {
  return new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `key ${keyId} is due for rotation, but keyplane authenticates with it (${setting}). Set selfRotation to true if you ` +
      `will set ${setting} to the new key afterwards. Otherwise, set ${setting} to another key of the account`,
  );
}

/** What to do after keyplane's own key was rotated, step by step. */
export function takeOverSteps(
  old: HeldKey,
  current: HeldKey,
  setting: string,
  retireAfter: string | undefined,
): string {
  const set = `\`pulumi config set ${setting.includes(".") ? "--path " : ""}--secret ${setting}`;
  const [first, second] =
    current.sealedKey === undefined
      ? [
          "export this resource's `key` as an output of the stack",
          `${set} "$(pulumi stack output NAME --show-secrets)"\``,
        ]
      : ["open this resource's `sealedKey` with the private key of a recipient", `${set}\``];
  return (
    `keyplane authenticates with key ${old.keyId}, which key ${current.keyId} replaces. Both keys work. Next steps: (1) ` +
    `${first}; (2) give it to keyplane: ${second}, wherever keyplane runs; (3) run \`pulumi up\` after ` +
    `${retireAfter}, which revokes key ${old.keyId}`
  );
}

/** Why the key that keyplane authenticates with is not revoked, and what to do. */
export function takeOverFirst(old: HeldKey, current: HeldKey | undefined, setting: string): string {
  return (
    `key ${old.keyId} is due to be revoked, but keyplane still authenticates with it (${setting}). Revoking it ` +
    `would lock keyplane out. Set ${setting} to the secret of key ${current?.keyId}, this resource's \`key\`, and ` +
    "run `pulumi up` again"
  );
}
