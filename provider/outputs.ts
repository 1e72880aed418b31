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

const NAMES = ["name", "namePrefix"];
const AGES = ["rotateAfter", "maxAge", "rotationWindow"];
const OVERLAP = ["gracePeriod", "quietPeriod", "maxOverlap"];

/** What other outputs are made from. The input with an output's own name counts for each. */
const MADE_FROM: Readonly<Record<string, readonly string[]>> = {
  ...{ name: NAMES, previousName: NAMES, lostNames: NAMES },
  ...{ expiresAt: ["maxAge"], rotateAt: AGES, retireAfter: OVERLAP, nextAction: [...AGES, ...OVERLAP] },
  pending: ["waitForProjects"],
};

/** The names of the values to record as secrets, by those of the inputs that are secrets. */
export function secretNames(inputs: readonly string[]): readonly string[] {
  if (inputs.length === 0) return SECRET_OUTPUTS;
  const made = Object.keys(MADE_FROM).filter((name) => MADE_FROM[name]?.some((input) => inputs.includes(input)));
  return [...new Set([...SECRET_OUTPUTS, ...inputs, ...made])];
}
