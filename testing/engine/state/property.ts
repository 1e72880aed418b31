/** Property values as a checkpoint stores them, and the JSON envelopes that mark secrets. */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Inputs or outputs of a resource as a checkpoint stores them: JSON, where a secret is a {@link SecretEnvelope}. */
export type Properties = Record<string, Json>;

/** The key that marks an object as something other than a plain map in Pulumi. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";

/** The signature of a secret. */
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/**
 * A secret in a checkpoint: `ciphertext` on disk, `plaintext` in memory and in `stack export --show-secrets`. Both
 * contain the *JSON text* of the value, so the secret text `hush` is `"hush"` with its quotes.
 */
export type SecretEnvelope = {
  [SIGNATURE_KEY]: typeof SECRET_SIGNATURE;
  plaintext?: string;
  ciphertext?: string;
};

/** Whether a value is a secret's envelope. */
export function isSecret(value: Json | undefined): value is SecretEnvelope {
  return isMap(value) && value[SIGNATURE_KEY] === SECRET_SIGNATURE;
}

/** Wraps a value as a plaintext secret. Returns a secret unchanged. */
export function secretOf(value: Json): SecretEnvelope {
  return isSecret(value) ? value : { [SIGNATURE_KEY]: SECRET_SIGNATURE, plaintext: JSON.stringify(value) };
}

/** Returns the value with its secrets in plain text, as a provider or a test sees it. Fails on encrypted secrets. */
export function revealed(value: Json): Json {
  return mapSecrets(value, (secret) => {
    if (secret.plaintext === undefined) throw new Error("a secret is still encrypted: decrypt the deployment first");
    return revealed(JSON.parse(secret.plaintext) as Json);
  });
}

/** Replaces each secret with the result of `replace`. Unchanged parts keep their identity. */
export function mapSecrets(value: Json, replace: (secret: SecretEnvelope) => Json): Json {
  if (isSecret(value)) return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapSecrets(item, replace));
  if (isMap(value)) return mapMapSecrets(value, replace);
  return value;
}

/** Same as {@link mapSecrets}, for a map of properties. */
export function mapMapSecrets(map: Properties, replace: (secret: SecretEnvelope) => Json): Properties {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, mapSecrets(value, replace)]));
}

/** Whether a value is an object but not a list. */
export function isMap(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
