import { isObject } from "../members";

/** Who can open a sealed key. Each member is a format, and a key is sealed once in each format that is given. */
export interface Recipients {
  /** Recipients of age, such as `age1...`. Each of them can open the same text. */
  readonly age?: readonly string[];
  /** The public key with which GitHub Actions takes secrets. */
  readonly githubActions?: { readonly key: string };
}

/** A sealed key: one text in each format of its recipients. */
export type SealedTexts = { readonly [format in keyof Recipients]?: string };

/** The result of reading recipients: what they are, or what is wrong with them, as the end of a sentence. */
export type Parsed = { readonly recipients: Recipients } | { readonly problem: string };

/** Reads recipients. No problem names a value, because somebody can pass a private key by mistake. */
export function parseRecipients(value: unknown): Parsed {
  if (!isObject(value)) return { problem: FORM };
  const { age, githubActions, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { problem: `must not have the member ${JSON.stringify(unknown.slice(0, 40))}: it ${FORM}` };
  const problem = (age === undefined ? undefined : ageProblem(age)) ?? githubProblem(githubActions);
  if (problem !== undefined) return { problem };
  if (age === undefined && githubActions === undefined) return { problem: FORM };
  return { recipients: value as Recipients };
}

/** Whether two values name the same recipients, in whatever order. A value that a preview does not know is another. */
export function sameRecipients(one: unknown, other: unknown): boolean {
  const left = canonical(one);
  return left !== undefined && left === canonical(other);
}

/** Why other recipients need a new key, for the preview; `undefined` if they are the same. */
export function changeOfRecipients(before: unknown, after: unknown): string | undefined {
  if (sameRecipients(before, after)) return undefined;
  if (before === undefined)
    return "a new key is sealed, because the history of the stack has the old one in readable form";
  if (after === undefined) return "sealTo was removed, and nobody but its recipients can read the sealed key";
  return canonical(after) === undefined
    ? "the recipients in sealTo are not known yet. If they change, a new key is created"
    : "the recipients in sealTo changed, and a sealed key cannot be sealed again, because keyplane cannot read it";
}

/** One text for the same recipients; `undefined` for a value that names none. */
function canonical(value: unknown): string | undefined {
  if (value === undefined) return "";
  const parsed = parseRecipients(value);
  if ("problem" in parsed) return undefined;
  const { age = [], githubActions } = parsed.recipients;
  // The key alone decides. GitHub's id is only its name.
  return JSON.stringify([[...new Set(age.map((text) => text.toLowerCase()))].sort(), githubActions?.key]);
}

const FORM =
  "must name at least one recipient: age, a list of texts that begin with age1, or githubActions, { key, keyId }";

function ageProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "must have at least one recipient in age, which is a list";
  for (const [at, entry] of value.entries()) {
    const problem = ageRecipientProblem(entry);
    if (problem !== undefined) return `has an invalid recipient at age[${at}]: ${problem}`;
  }
  return undefined;
}

/** The length of the key in a recipient of age, in bytes. */
const AGE_KEY_BYTES = 32;

function ageRecipientProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "it is not a text";
  if (/^age-secret-key-/i.test(value)) return "it is a private key. Pass the public key, which begins with age1";
  if (/^ssh-/.test(value)) return "keys of SSH are not supported. Create a key with age-keygen";
  const decoded = bech32(value);
  if (decoded === undefined) return "it is no public key of age, or a part of it is missing or changed";
  if (decoded.prefix === "age" && decoded.bytes === AGE_KEY_BYTES) return undefined;
  return "this kind of recipient is not supported. Pass a public key of age-keygen, which has 62 characters";
}

function githubProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  // The result of a data source has further members. GitHub's id is only a name, and `pulumi config set --path` stores it
  // as a number.
  const { key } = isObject(value) ? value : {};
  if (typeof key === "string" && /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(key)) return undefined;
  return "must have the public key of GitHub in githubActions.key: 44 characters of base64";
}

const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LENGTH = 6;
const MAX_LENGTH = 4_000;

/** Checks a text in Bech32 (BIP 173, without its limit of length). Returns its prefix and the length of its data. */
function bech32(text: string): { readonly prefix: string; readonly bytes: number } | undefined {
  const lower = text.toLowerCase();
  if (text.length > MAX_LENGTH || (text !== lower && text !== text.toUpperCase())) return undefined;
  const end = lower.lastIndexOf("1");
  const prefix = lower.slice(0, end);
  const data = Array.from(lower.slice(end + 1), (character) => CHARACTERS.indexOf(character));
  if (end < 1 || data.length < CHECKSUM_LENGTH || data.includes(-1)) return undefined;
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  const checked = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data];
  if (checked.reduce(nextChecksum, 1) !== 1) return undefined;
  return { prefix, bytes: Math.floor(((data.length - CHECKSUM_LENGTH) * 5) / 8) };
}

function nextChecksum(checksum: number, value: number): number {
  const top = checksum >>> 25;
  const shifted = ((checksum & 0x1ffffff) << 5) ^ value;
  return GENERATORS.reduce((sum, generator, bit) => ((top >>> bit) & 1 ? sum ^ generator : sum), shifted);
}
