/** What the engine asks of property values: unknown, secret, equal. Values are JSON, with envelopes for what is not. */
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

/** What stands for a value that a preview cannot know, on the wire and in memory. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The signature of a value with its own dependencies and secrecy, as programs may send it. */
export const OUTPUT_VALUE_SIGNATURE = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

/** The signature of a reference to a resource. */
export const RESOURCE_SIGNATURE = "5cf8f73096256a8f31e491e813e4eb8e";

/** Whether a map is an envelope with this signature. */
export function hasSignature(value: Json | undefined, signature: string): value is { [key: string]: Json } {
  return isMap(value) && value[SIGNATURE_KEY] === signature;
}

/** The value inside a secret's plaintext envelope. */
export function secretValue(secret: { plaintext?: string }): Json {
  if (secret.plaintext === undefined) throw new Error("a secret is still encrypted: decrypt the deployment first");
  return JSON.parse(secret.plaintext) as Json;
}

/** Whether `test` holds for a value or any part of it, also inside secrets. */
function some(value: Json, test: (part: Json) => boolean): boolean {
  if (test(value)) return true;
  if (isSecret(value)) return some(secretValue(value), test);
  if (Array.isArray(value)) return value.some((item) => some(item, test));
  return isMap(value) && Object.values(value).some((item) => some(item, test));
}

/** Whether a value is unknown, wholly or in part. */
export function containsUnknown(value: Json): boolean {
  return some(value, (part) => part === UNKNOWN);
}

/** Whether a value is secret, wholly or in part. */
export function containsSecret(value: Json): boolean {
  return some(value, isSecret);
}

/** The value with all its secrets in clear. */
export function withoutSecrets(value: Json): Json {
  return mapSecrets(value, (secret) => withoutSecrets(secretValue(secret)));
}

/** {@link withoutSecrets} for a map of properties. */
export function mapWithoutSecrets(map: Properties): Properties {
  return mapMapSecrets(map, (secret) => withoutSecrets(secretValue(secret)));
}

/** Whether two values are the same, whatever the order of keys. A secret equals only a secret. */
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
 * What a provider that knows no secrets answered, with the secrets of the question put back: a value is secret when the
 * value of the same key was, wholly or in part. Maps are compared key by key.
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

/** The outputs to record: secret where the resource says so, or where the input of the same key is. */
export function withSecretOutputs(outputs: Properties, secretKeys: readonly string[], inputs: Properties): Properties {
  const isKept = (key: string) => (secretKeys.includes(key) && key !== "id") || isSecret(inputs[key]);
  const entries = Object.entries(outputs);
  if (entries.every(([key, value]) => isSecret(value) || !isKept(key))) return outputs;
  return Object.fromEntries(entries.map(([key, value]) => [key, isKept(key) ? secretOf(value) : value]));
}
