import { ApiError } from "../api-error";
import type { KeyScope } from "../state/entities";
import { objectBody } from "./input";
import { createdKey, listedKey, revokedKey } from "./key-records";
import { type Answer, array, type Call, object, type Route, ref } from "./route";

/** Longest name of a key, in characters. */
export const maxKeyName = 64;

/** Schema of a key's name in a request. */
export const keyNameSchema = { type: "string", minLength: 1, maxLength: maxKeyName };

/** Makes a key with the name in the call's body. */
export function createKey(call: Call, scope: KeyScope): Answer {
  const { state } = call;
  const name = objectBody(call.body).key_name;
  if (typeof name !== "string" || name === "") throw new ApiError(400, "key_name must be a text that is not empty");
  if ([...name].length > maxKeyName) throw new ApiError(400, `key_name must be at most ${maxKeyName} characters long`);
  if (state.switches.uniqueNames && state.keys.isNameTaken(name, scope)) {
    throw new ApiError(409, "choose another unique name for api key");
  }
  const { key, secret } = state.keys.create(name, scope, state.clock.now());
  call.effects.push({ kind: "key-created", id: key.id, name });
  return { status: 200, body: createdKey(key, secret) };
}

/** Revokes the key whose id is in the call's path, if `owned` holds for it. */
export function revokeKey(call: Call, owned: (scope: KeyScope) => boolean): Answer {
  const text = call.params.key_id ?? "";
  if (!/^\d+$/.test(text)) throw new ApiError(400, "key_id must be an integer");
  const key = call.state.keys.get(Number(text));
  if (!key || !owned(key.scope)) throw new ApiError(404, "api key not found");
  call.state.keys.revoke(key);
  call.effects.push({ kind: "key-revoked", id: key.id, name: key.name });
  return { status: 200, body: revokedKey(key) };
}

const ofAccount = (scope: KeyScope): boolean => scope.kind === "account";

/** Only keys of a user reach the keys of the account. */
function requireAccountKey({ caller }: Call, status: 403 | 404): void {
  if (!ofAccount(caller.scope)) throw new ApiError(status, "not allowed for organization API keys");
}

/** The keys of the account. */
export const apiKeyRoutes: Route[] = [
  {
    method: "POST",
    path: "/api_keys",
    summary: "Creates an API key; its secret is in this answer only.",
    body: object({ key_name: keyNameSchema }),
    answer: { status: 200, schema: ref("CreatedApiKey") },
    handle(call) {
      requireAccountKey(call, 403);
      return createKey(call, { kind: "account" });
    },
  },
  {
    method: "GET",
    path: "/api_keys",
    summary: "Lists the live API keys, newest first.",
    answer: { status: 200, schema: array(ref("ApiKey")) },
    handle(call) {
      requireAccountKey(call, 404);
      return { status: 200, body: call.state.keys.list(ofAccount).map(listedKey) };
    },
  },
  {
    method: "DELETE",
    path: "/api_keys/{key_id}",
    summary: "Revokes an API key, at once and for good.",
    params: { key_id: { type: "integer", format: "int64" } },
    answer: { status: 200, schema: ref("RevokedApiKey") },
    handle(call) {
      requireAccountKey(call, 404);
      return revokeKey(call, ofAccount);
    },
  },
];
