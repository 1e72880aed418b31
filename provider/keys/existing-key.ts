import type { AccountSettings } from "../account-settings";
import type { ApiKeyRecord } from "../api/records";
import { type ErrorCode, KeyplaneError } from "../errors";
import { conceal } from "../secrets";
import { settingOf } from "../settings/settings";
import type { Call } from "./call";
import type { KeyInputs } from "./fields";
import { expiresAt, formatKey, suffixIn } from "./naming";
import { usedNow } from "./uses";

/** The service shows uses in whole seconds. This pause, in milliseconds, separates the uses of two keys. */
export const NEXT_SECOND_MS = 1_100;

/** Maximum number of attempts to find out which key a secret belongs to. */
const MAX_LOOKS = 3;

/** The key to import. Throws `KP-IMPORT` without its secret. */
export function keyToImport(id: string, key: string | undefined): ExistingKey {
  if (key !== undefined) return { id, key, source: "the setting importKeys", instead: "", code: "KP-IMPORT" };
  throw new KeyplaneError(
    "KP-IMPORT",
    `key ${id} cannot be imported by its id alone, because the service shows a secret only once. Run ` +
      `\`pulumi config set --path --secret 'keyplane:importKeys["${id}"]'\`, enter the secret, and run \`pulumi up\`. ` +
      "If you use the command `pulumi import`, repeat it after that: it uses the configuration of the last `up`. Then " +
      `run \`pulumi config rm --path 'keyplane:importKeys["${id}"]'\`. Or set the variable ` +
      `KEYPLANE_IMPORT_KEYS for this one command, as JSON with the secret under "${id}"`,
  );
}

/** A key that was created elsewhere and that a resource is to take over. */
interface ExistingKey {
  readonly id: string;
  readonly key: string;
  /** Where the secret was given, for messages: a setting or an input. */
  readonly source: string;
  /** What the user can do instead, as the end of a sentence. */
  readonly instead: string;
  readonly code: ErrorCode;
}

/**
 * Proves, as far as the service allows, that a key is live and that the secret belongs to it. Changes nothing on the
 * service. Returns what the service lists about the key.
 */
export async function proveKey(existing: ExistingKey, inputs: KeyInputs, call: Call): Promise<ApiKeyRecord> {
  const refused = refuseOwnKey(existing.key, existing.source, call.keyList.settings);
  if (refused !== undefined) throw refused;
  conceal(existing.key);
  call.log.progress(`checking key ${existing.id}`);
  const record = await (call.keyList.scope.organizationId === undefined
    ? provenByItself(existing, call)
    : plausibleInOrganization(existing, call));
  if (suffixIn(record.name) !== undefined) {
    call.log.warn(
      `key ${formatKey(record)} has a name like those that keyplane generates. If another stack still has it, that stack revokes ` +
        "it in a rotation or a deletion. First run `pulumi state delete` there",
    );
  }
  const deadline = expiresAt(record.name);
  if (deadline !== undefined && inputs.maxAge === undefined) {
    call.log.warn(
      `key ${formatKey(record)} has a deadline in its name: after ${deadline}, \`keyplane reap\` revokes it, whoever uses ` +
        "it. Set maxAge, and another key replaces it before",
    );
  }
  return record;
}

/** Where a list shows its own request, the key used last made it. */
async function provenByItself(existing: ExistingKey, call: Call): Promise<ApiKeyRecord> {
  const { id, key, source, code } = existing;
  const { account, keys } = call.keyList;
  const look = async () => {
    const seen = await keys.listAs(key);
    return seen && usedNow(seen, account).map((used) => used.id);
  };
  let used = await look();
  if (used === undefined) throw notAccepted(existing);
  const record = await mustBeLive(existing, call);
  for (let looks = 1; looks < MAX_LOOKS && used.length > 1 && used.includes(id); looks++) {
    await account.sleep(NEXT_SECOND_MS);
    used = (await look()) ?? [];
  }
  if (used.length > 0 && !used.includes(id)) {
    throw new KeyplaneError(
      code,
      `the secret in ${source} belongs to another key than ${id}: the service shows that another key was used. Pass the id ` +
        "and the secret of the same key",
    );
  }
  if (used.length !== 1) warnOfDoubt(existing, call);
  return record;
}

/** An organization's key may not list keys, and its use may not show at once, so only its absence is a proof. */
async function plausibleInOrganization(existing: ExistingKey, call: Call): Promise<ApiKeyRecord> {
  if (!(await call.keyList.keys.authenticates(existing.key))) throw notAccepted(existing);
  const record = await mustBeLive(existing, call);
  if (record.lastUsedAt === null || Date.parse(record.lastUsedAt) < call.keyList.account.serviceNow() - 60_000) {
    warnOfDoubt(existing, call);
  }
  return record;
}

function warnOfDoubt({ id, source }: ExistingKey, call: Call): void {
  call.log.warn(
    `the service accepts the secret in ${source}, but does not show that only key ${id} was used just now. Check that it is the ` +
      "secret of that key, because keyplane revokes the key by its id",
  );
}

async function mustBeLive({ id, instead, code }: ExistingKey, call: Call): Promise<ApiKeyRecord> {
  const record = await call.keyList.keys.find(id, { fresh: true });
  if (record !== undefined) return record;
  throw new KeyplaneError(code, `key ${id} is not active in this account. Pass the id of an active key${instead}`);
}

function notAccepted({ id, source, instead, code }: ExistingKey): KeyplaneError {
  return new KeyplaneError(
    code,
    `the service does not accept the secret in ${source}. Pass the secret of key ${id}${instead}`,
  );
}

/**
 * The refusal to take over the key that keyplane itself authenticates with, as its secret shows; `undefined` for another
 * key. Names no id: the secret can be that of another key than the id's.
 */
export function refuseOwnKey(key: string, source: string, settings: AccountSettings): KeyplaneError | undefined {
  const setting = settingOf(settings, { key });
  if (setting === undefined) return undefined;
  return new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `the secret in ${source} is the one that keyplane authenticates with (${setting}). If its key were taken over, its ` +
      `rotation would lock keyplane out. Set ${setting} to another key of the account first, or take over another key`,
  );
}
