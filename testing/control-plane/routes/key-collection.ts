import { ApiError } from "../api-error";
import type { KeyEntity, KeyScope } from "../state/entities";
import { objectBody } from "./input";
import { createdKey, listedKey, revokedKey } from "./key-records";
import { type Answer, array, type Call, type Route, ref, type Schema } from "./route";

/** Maximum length of a key's name, in characters. */
const maxKeyName = 64;

/** One list of keys, and how its keys are created and revoked. */
export interface KeyCollection {
  /** The path template. */
  path: string;
  /** Who owns the keys, for display. */
  of: string;
  /** Fields of a create request besides the name. */
  fields?: Record<string, Schema>;
  /** Creations per second, if fewer are allowed than for other requests. */
  createsPerSecond?: number;
  /** Selects the keys of the list. Throws `ApiError` if the caller may not see the list. */
  owned(call: Call): (scope: KeyScope) => boolean;
  /** What the requested key may access. Throws `ApiError` to refuse. */
  scopeOfNew(call: Call): KeyScope;
}

/** Only user keys can create, list or revoke keys. */
export function requireUser({ caller }: Call, status: 403 | 404): void {
  if (caller.scope.kind !== "account") throw new ApiError(status, "not allowed for organization API keys");
}

/** Creates the routes of a list of keys. */
export function keyRoutes(collection: KeyCollection): Route[] {
  const { path, of, fields = {}, createsPerSecond } = collection;
  const name = { type: "string", minLength: 1, maxLength: maxKeyName };
  return [
    {
      method: "POST",
      path,
      summary: `Creates an API key of ${of}; only this response contains its secret.`,
      body: { type: "object", required: ["key_name"], properties: { key_name: name, ...fields } },
      answer: { status: 200, schema: ref("CreatedApiKey") },
      perSecond: createsPerSecond,
      handle: (call) => createKey(call, collection.scopeOfNew(call)),
    },
    {
      method: "GET",
      path,
      summary: `Lists the live API keys of ${of}, newest first.`,
      answer: { status: 200, schema: array(ref("ApiKey")) },
      handle(call) {
        const { keys, switches } = call.state;
        const found = keys.list(collection.owned(call));
        for (const key of found) showUses(key, call.state.clock.now() - switches.lastUsedDelayMs);
        return { status: 200, body: found.map((key) => listedKey(key, switches.projectKeys)) };
      },
    },
    {
      method: "DELETE",
      path: `${path}/{key_id}`,
      summary: `Revokes an API key of ${of}, immediately and permanently.`,
      params: { key_id: { type: "integer", format: "int64" } },
      answer: { status: 200, schema: ref("RevokedApiKey") },
      handle: (call) => revokeKey(call, collection.owned(call)),
    },
  ];
}

/** Shows the uses up to a time. */
function showUses(key: KeyEntity, until: number): void {
  const [use] = key.hiddenUses ?? [];
  if (use === undefined || use.lastUsedAt > until) return;
  Object.assign(key, use, { hiddenUses: key.hiddenUses?.slice(1) });
  showUses(key, until);
}

function createKey(call: Call, scope: KeyScope): Answer {
  const { state } = call;
  const name = objectBody(call.body).key_name;
  if (typeof name !== "string" || name === "") throw new ApiError(400, "key_name must be a non-empty string");
  if ([...name].length > maxKeyName) throw new ApiError(400, `key_name must be at most ${maxKeyName} characters long`);
  if (state.switches.uniqueNames && state.keys.isNameTaken(name, scope)) {
    throw new ApiError(409, "choose another unique name for api key");
  }
  const { key, secret } = state.keys.create(name, scope, state.clock.now());
  call.effects.push({ kind: "key-created", id: key.id, name });
  return { status: 200, body: createdKey(key, secret, state.switches.projectKeys) };
}

function revokeKey(call: Call, owned: (scope: KeyScope) => boolean): Answer {
  const text = call.params.key_id ?? "";
  if (!/^\d+$/.test(text)) throw new ApiError(400, "key_id must be an integer");
  const key = call.state.keys.get(Number(text));
  if (!key || !owned(key.scope)) throw new ApiError(404, "api key not found");
  call.state.keys.revoke(key);
  call.effects.push({ kind: "key-revoked", id: key.id, name: key.name });
  return { status: 200, body: revokedKey(key, call.state.switches.projectKeys) };
}
