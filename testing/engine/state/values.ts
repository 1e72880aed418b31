/** Checks and compares property values: unknown, secret, equal. Values are JSON, with envelopes for everything else. */
import {
  isMap,
  isSecret,
  type Json,
  mapMapSecrets,
  mapSecrets,
  type Properties,
  SIGNATURE_KEY,
  secretOf,
} from "./property";

/** Represents a value that a preview cannot know, on the wire and in memory. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The signature of a value with its own dependencies and secrecy, as programs may send it. */
export const OUTPUT_VALUE_SIGNATURE = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** The signature of a resource reference. */
export const RESOURCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e";

/** Whether a map is an envelope with this signature. */
export function hasSignature(value: Json | undefined, signature: string): value is { [key: string]: Json } {
  return isMap(value) && value[SIGNATURE_KEY] === signature;
}

/** Returns the value in a secret's plaintext envelope. */
export function secretValue(secret: { plaintext?: string }): Json {
  if (secret.plaintext === undefined) throw new Error("a secret is still encrypted: decrypt the deployment first");
  return JSON.parse(secret.plaintext) as Json;
}

/** Whether `test` is true for a value or any part of it, including parts of secrets. */
function some(value: Json, test: (part: Json) => boolean): boolean {
  if (test(value)) return true;
  if (isSecret(value)) return some(secretValue(value), test);
  if (Array.isArray(value)) return value.some((item) => some(item, test));
  return isMap(value) && Object.values(value).some((item) => some(item, test));
}

/** Whether a value is wholly or partly unknown. */
export function containsUnknown(value: Json): boolean {
  return some(value, (part) => part === UNKNOWN);
}

/** Whether a value is wholly or partly secret. */
function containsSecret(value: Json): boolean {
  return some(value, isSecret);
}

/** Returns the value with all its secrets in plain text. */
export function withoutSecrets(value: Json): Json {
  return mapSecrets(value, (secret) => withoutSecrets(secretValue(secret)));
}

/** Same as {@link withoutSecrets}, for a map of properties. */
export function mapWithoutSecrets(map: Properties): Properties {
  return mapMapSecrets(map, (secret) => withoutSecrets(secretValue(secret)));
}

/** Whether two values are equal, regardless of key order. A secret equals only a secret. */
export function equalValues(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (isSecret(a) || isSecret(b)) {
    return isSecret(a) && isSecret(b) && equalValues(secretValue(a), secretValue(b));
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i]))
    );
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && equalValues(a[key], b[key]));
}

/**
 * Restores secrets in the response of a provider that does not support them. A value becomes secret if the input of the
 * same key was wholly or partly secret. Maps are compared key by key.
 */
export function annotateSecrets(answered: Properties, asked: Properties): Properties {
  const result = { ...answered };
  for (const [key, question] of Object.entries(asked)) {
    const answer = answered[key];
    if (answer === undefined || isSecret(answer)) continue;
    if (isMap(answer) && isMap(question) && !isSecret(question)) result[key] = annotateSecrets(answer, question);
    else if (containsSecret(question)) result[key] = secretOf(answer);
  }
  return result;
}

/** Marks the outputs to record as secret: those in `secretKeys`, and those whose input of the same key is secret. */
export function withSecretOutputs(outputs: Properties, secretKeys: readonly string[], inputs: Properties): Properties {
  const isKept = (key: string) => (secretKeys.includes(key) && key !== "id") || isSecret(inputs[key]);
  const entries = Object.entries(outputs);
  if (entries.every(([key, value]) => isSecret(value) || !isKept(key))) return outputs;
  return Object.fromEntries(entries.map(([key, value]) => [key, isKept(key) ? secretOf(value) : value]));
}
