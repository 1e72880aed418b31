// The outputs that are not inputs, which the provider and the SDK share.

/** When a resource has an output, and when it changes. */
interface OutputRule {
  /** Whether it changes only with the key itself. */
  readonly isOfKey?: true;
  /** Whether a resource can lack it. */
  readonly canBeAbsent?: true;
  /** The input without which there is none. */
  readonly onlyWith?: string;
}

type Outputs = Readonly<Record<string, OutputRule>>;

const COMMON = {
  keyId: { isOfKey: true },
  name: { isOfKey: true },
  key: { isOfKey: true },
  sealedKey: { isOfKey: true, onlyWith: "sealTo" },
  digest: { isOfKey: true, canBeAbsent: true },
  createdAt: { isOfKey: true },
  expiresAt: { isOfKey: true, onlyWith: "maxAge" },
  rotateAt: { canBeAbsent: true },
  pending: { canBeAbsent: true },
} as const satisfies Outputs;

const ROTATION = {
  previousKeyId: { canBeAbsent: true },
  previousKey: { canBeAbsent: true },
  previousSealedKey: { onlyWith: "sealTo" },
  previousDigest: { canBeAbsent: true },
  retireAfter: { canBeAbsent: true },
  nextAction: {},
} as const satisfies Outputs;

const namesOf = (outputs: Outputs, has: (rule: OutputRule) => unknown): readonly string[] =>
  Object.entries(outputs).flatMap(([name, rule]) => (has(rule) ? name : []));

/** What a resource type says of its outputs. */
function described(outputs: Outputs) {
  const inputs = new Set(Object.values(outputs).flatMap(({ onlyWith }) => onlyWith ?? []));
  return {
    outputs: Object.keys(outputs),
    canBeAbsent: namesOf(outputs, (rule) => rule.canBeAbsent),
    onlyWith: Object.fromEntries(
      Array.from(inputs, (input) => [input, namesOf(outputs, (rule) => rule.onlyWith === input)]),
    ),
  };
}

export const OF_API_KEY = described(COMMON);
export const OF_ROTATING_API_KEY = described({ ...COMMON, ...ROTATION });

/** The outputs of a key that change only with the key itself. */
export const KEY_OUTPUTS = namesOf(COMMON, (rule) => rule.isOfKey);

/** The names of the public outputs that all kinds of key have. */
export const COMMON_OUTPUTS = Object.keys(COMMON);

/** Those that a `RotatingApiKey` has beside them. */
export const ROTATION_OUTPUTS = Object.keys(ROTATION);

/** Values that are always secrets. `sealTo`, whose former value can be in `sealedTo`, can be one. */
export const SECRET_VALUES = ["key", "previousKey", "sealedTo", "adopt"];

const NAMES = ["name", "namePrefix"];
const AGES = ["rotateAfter", "maxAge", "rotationWindow"];
const OVERLAP = ["gracePeriod", "quietPeriod", "maxOverlap"];

/** What other outputs are made from. The input with an output's own name counts for each. */
const MADE_FROM: Readonly<Record<string, readonly string[]>> = {
  name: NAMES,
  previousName: NAMES,
  lostNames: NAMES,
  expiresAt: ["maxAge"],
  rotateAt: AGES,
  retireAfter: OVERLAP,
  nextAction: [...AGES, ...OVERLAP],
  pending: ["waitForProjects"],
};

/** Those of the inputs that are secrets to record, because they are not always. */
export const secretInputs = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !SECRET_VALUES.includes(name));

/** The names of the values to record as secrets, by those of the inputs that are secrets. */
export function secretNames(inputs: readonly string[]): readonly string[] {
  if (inputs.length === 0) return SECRET_VALUES;
  const made = Object.keys(MADE_FROM).filter((name) => MADE_FROM[name]?.some((input) => inputs.includes(input)));
  return [...new Set([...SECRET_VALUES, ...inputs, ...made])];
}
