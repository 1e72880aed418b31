import type { ApiKeyRecord } from "../../api/records";
import { KeyplaneError } from "../../errors";
import { keyIn } from "../../key-index";
import { skewedAge } from "../../keys/clock-skew";
import { ownerIdIn } from "../../keys/identity";
import { hasTagOf, ownerTag } from "../../keys/names";
import { scopeOf } from "../../keys/scope";
import type { Context, Properties } from "../../schema/resource-type";
import { conceal } from "../../secrets";
import { type Adoption, refusal } from "./adoption";
import { outputsOf } from "./rotation-outputs";
import { NOTHING, withTriggers } from "./rotation-state";

/** The service shows uses in whole seconds. This pause, in milliseconds, separates the uses of two keys. */
const NEXT_SECOND_MS = 1_100;

/** Maximum number of attempts to find out which key a secret belongs to. */
const MAX_LOOKS = 3;

/**
 * Adopts a key that was created by hand. Proves, as far as the service allows, that it is live and that the secret
 * belongs to it. Changes nothing on the service. Returns the resource's outputs.
 */
export async function adoptKey(adopt: Adoption, inputs: Properties, context: Context): Promise<Properties> {
  const account = context.account();
  const owner = ownerIdIn(inputs.owner);
  const ownSetting = account.settingOf(adopt.key);
  if (ownSetting !== undefined) throw ownCredential(adopt, ownSetting);
  if (context.run.holders.has(adopt.id)) {
    throw refusal(`key ${adopt.id} belongs to another resource of this stack. Remove adopt to get a new key`);
  }
  conceal(adopt.key);
  context.progress(`checking key ${adopt.id} before adopting it`);
  const { name, createdAt, projectId } = await provenKey(adopt, inputs, context);
  if (hasTagOf(name, owner)) {
    throw refusal(
      `key ${adopt.id} (${name}) was made by this stack, not by hand, and one of its resources may hold it. Remove adopt ` +
        "to get a new key",
    );
  }
  if (projectId !== inputs.projectId) {
    const limit = projectId === undefined ? "to no project" : `to project ${projectId}`;
    throw refusal(`key ${adopt.id} (${name}) is limited ${limit}: give projectId as it is there, or another key`);
  }
  const skewed = skewedAge(inputs, context);
  if (skewed !== undefined) throw new KeyplaneError("KP-CLOCK", skewed);
  context.info(`adopted key ${adopt.id} (${name}). Remove adopt and its secret from the program when this run is done`);
  const current = { keyId: adopt.id, name, key: adopt.key };
  const adopted = { id: adopt.id, name, by: ownerTag(owner) };
  const state = { ...NOTHING, current, createdAt, adopted };
  return outputsOf(withTriggers(state, inputs.rotationTriggers), inputs);
}

async function provenKey(adopt: Adoption, inputs: Properties, context: Context): Promise<ApiKeyRecord> {
  return scopeOf(inputs).organizationId === undefined
    ? provenByItself(adopt, context)
    : plausibleInOrganization(adopt, context);
}

/** A key that lists the account's keys shows its own use at once, so the key used last made the request. */
async function provenByItself({ id, key }: Adoption, context: Context): Promise<ApiKeyRecord> {
  let seen = await context.keys().listAs(key);
  if (seen === undefined) throw notAccepted(id);
  const record = await liveKey(id, context);
  for (let look = 1; ; look++) {
    const last = usedLast(seen);
    if (!last.includes(id)) throw refusal(`${mismatch(id)}: the service shows that another key was used`);
    if (last.length === 1) return record;
    if (look === MAX_LOOKS) break;
    await context.account().sleep(NEXT_SECOND_MS);
    seen = (await context.keys().listAs(key)) ?? [];
  }
  context.warn(
    `other keys of the account are used every second, so the secret probably belongs to key ${id}, but this is not certain`,
  );
  return record;
}

/** An organization's key may not list keys, and its use may not show at once, so only its absence is a proof. */
async function plausibleInOrganization({ id, key }: Adoption, context: Context): Promise<ApiKeyRecord> {
  if (!(await context.keys().authenticates(key))) throw notAccepted(id);
  const record = await liveKey(id, context);
  if (record.lastUsedAt === null || Date.parse(record.lastUsedAt) < context.account().serviceNow() - 60_000) {
    context.warn(
      `the service accepts the secret, but does not show that key ${id} was used just now. Check that it is the secret of ` +
        "that key, because a rotation revokes it by its id",
    );
  }
  return record;
}

async function liveKey(id: string, context: Context): Promise<ApiKeyRecord> {
  const record = keyIn(await context.keys().list({ fresh: true }), id);
  if (record !== undefined) return record;
  throw refusal(
    `key ${id} is not active in this account. Pass the id of an active key, or remove adopt to get a new key`,
  );
}

/** Ids of the keys with the latest use in a list. */
function usedLast(keys: readonly ApiKeyRecord[]): readonly string[] {
  const useOf = ({ lastUsedAt }: ApiKeyRecord) => Date.parse(lastUsedAt ?? "") || 0;
  const latest = keys.reduce((last, key) => Math.max(last, useOf(key)), 0);
  return keys.filter((key) => useOf(key) === latest).map(({ id }) => id);
}

function mismatch(id: string): string {
  return `the secret in adopt.key does not belong to key ${id}. Pass the id and the secret of the same key`;
}

function notAccepted(id: string): KeyplaneError {
  return refusal(
    `the service does not accept the secret in adopt.key. Pass the secret of key ${id}, or remove adopt to get a new key`,
  );
}

function ownCredential({ id }: Adoption, setting: string): KeyplaneError {
  return new KeyplaneError(
    "KP-OWN-CREDENTIAL",
    `the secret of key ${id} is ${setting}, with which keyplane authenticates: adopted, it ` +
      "would be rotated and revoked, and lock keyplane out. Let keyplane authenticate with another key, or adopt another",
  );
}
