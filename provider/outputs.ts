// The names of outputs, which the provider and the SDK share.

/** The outputs of a key that change only with the key itself. */
export const KEY_OUTPUTS = ["keyId", "name", "key", "sealedKey", "digest", "createdAt", "expiresAt"];

/** The public outputs that all kinds of key have. */
export const COMMON_OUTPUTS = [...KEY_OUTPUTS, "rotateAt", "pending"];

/** Those that a `RotatingApiKey` has beside them. */
export const ROTATION_OUTPUTS = [
  "previousKeyId",
  "previousKey",
  "previousSealedKey",
  "previousDigest",
  "retireAfter",
  "nextAction",
];

/** Outputs that are secrets whether or not an input is. `sealTo`, whose former value can be in `sealedTo`, can be one. */
export const SECRET_OUTPUTS = ["key", "previousKey", "sealedTo"];
