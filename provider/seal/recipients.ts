import { isObject } from "../members";
import { canonicalKubernetes, certificateEnd, type KubernetesRecipient, kubernetesProblem } from "./kubernetes";
import { rsaKeyIn, spkiOf } from "./rsa";
import { agreeWith } from "./x25519";

/** Who can open a sealed key. Each member is a format, and a key is sealed once in each format that is given. */
export interface Recipients {
  /** Recipients of age, such as `age1...`. Each of them can open the same text. */
  readonly age?: readonly string[];
  /** The public key with which GitHub Actions takes secrets. */
  readonly githubActions?: { readonly key: string };
  /** Where a controller of Sealed Secrets opens the key. */
  readonly kubernetes?: KubernetesRecipient;
  /** Public keys for RSA in PEM. Each of them gets its own text. */
  readonly rsa?: readonly string[];
}

/** A sealed key, in each format of its recipients. */
export interface SealedTexts {
  readonly age?: string;
  readonly githubActions?: string;
  readonly kubernetes?: string;
  readonly rsa?: readonly string[];
}

/**
 * Reads recipients. A problem is the end of a sentence. It names no value, because somebody can pass a private key by
 * mistake.
 */
export function parseRecipients(value: unknown): { readonly recipients: Recipients } | { readonly problem: string } {
  if (!isObject(value)) return { problem: FORM };
  const { age, githubActions, kubernetes, rsa, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { problem: `must not have the member ${JSON.stringify(unknown.slice(0, 40))}: it ${FORM}` };
  const given = [
    [age, ageProblem],
    [githubActions, githubProblem],
    [kubernetes, kubernetesProblem],
    [rsa, rsaProblem],
  ] as const;
  const problems = given.flatMap(([each, problemOf]) => (each === undefined ? [] : [problemOf(each)]));
  if (problems.length === 0) return { problem: FORM };
  const problem = problems.find((each) => each !== undefined);
  return problem === undefined ? { recipients: value as Recipients } : { problem };
}

/** That a certificate has expired, as the end of a sentence; `undefined` if none has, or for a value that names none. */
export function expiredIn(value: unknown, now: number): string | undefined {
  const parsed = parseRecipients(value);
  const kubernetes = "problem" in parsed ? undefined : parsed.recipients.kubernetes;
  const end = kubernetes && certificateEnd(kubernetes);
  if (end === undefined || now <= end) return undefined;
  const at = new Date(end).toISOString();
  return `has a certificate in kubernetes that expired at ${at}. \`kubeseal --fetch-cert\` prints the current one`;
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
  const { age = [], githubActions, kubernetes, rsa } = parsed.recipients;
  // The keys alone decide. GitHub's id is only a name, and a certificate can be renewed for the same key.
  return JSON.stringify([
    [...new Set(age.map((text) => text.toLowerCase()))].sort(),
    githubActions?.key,
    kubernetes && canonicalKubernetes(kubernetes),
    // In order, because the texts are.
    rsa?.map((pem) => spkiOf(rsaKeyIn(pem))),
  ]);
}

const FORM =
  "must name at least one recipient: age, a list of texts that begin with age1; githubActions, { key, keyId }; " +
  "kubernetes, { certificate, namespace, name, scope }; or rsa, a list of public keys in PEM";

function ageProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "must have at least one recipient in age, which is a list";
  for (const [at, entry] of value.entries()) {
    const problem = ageRecipientProblem(entry);
    if (problem !== undefined) return `has an invalid recipient at age[${at}]: ${problem}`;
  }
  return undefined;
}

function ageRecipientProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "it is not a text";
  if (/^age-secret-key-/i.test(value)) return "it is a private key. Pass the public key, which begins with age1";
  if (/^ssh-/.test(value)) return "keys of SSH are not supported. Create a key with age-keygen";
  const key = ageKey(value);
  if (key !== undefined) return isUsable(key) ? undefined : UNUSABLE;
  if (decoded(value) === undefined) return "it is no public key of age, or a part of it is missing or changed";
  return "this kind of recipient is not supported. Pass a public key of age-keygen, which has 62 characters";
}

/** The length of the key in a recipient of age, in bytes. */
const AGE_KEY_BYTES = 32;

/** The bytes of a public key of age-keygen; `undefined` for any other text. */
function ageKey(text: string): Buffer | undefined {
  const { prefix, bytes } = decoded(text) ?? {};
  return prefix === "age" && bytes?.length === AGE_KEY_BYTES ? Buffer.from(bytes) : undefined;
}

/** Reads a text in Bech32 (BIP 173, without its limit of length); `undefined` for any other text. */
function decoded(text: string) {
  const { bech32 } = require("@scure/base") as typeof import("@scure/base");
  const found = text.length <= MAX_LENGTH ? bech32.decodeUnsafe(text, false) : undefined;
  return found && { prefix: found.prefix, bytes: bech32.fromWordsUnsafe(found.words) };
}

const MAX_LENGTH = 4_000;

const UNUSABLE = "nothing can be sealed to it, because everybody could open that. Pass another public key";

/** Public keys that can be sealed to. Few are in use, and each key of a program names them. */
const usable = new Set<string>();

function isUsable(key: Buffer): boolean {
  const text = key.toString("hex");
  try {
    if (!usable.has(text)) agreeWith(key);
  } catch {
    return false;
  }
  usable.add(text);
  return true;
}

function rsaProblem(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "must have at least one public key in rsa, which is a list";
  for (const [at, entry] of value.entries()) {
    const read = rsaKeyIn(entry);
    if ("problem" in read) return `has an invalid public key at rsa[${at}]: ${read.problem}`;
  }
  return undefined;
}

function githubProblem(value: unknown): string | undefined {
  // The result of a data source has further members. GitHub's id is only a name, and `pulumi config set --path` stores it
  // as a number.
  const { key } = isObject(value) ? value : {};
  if (typeof key === "string" && /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(key)) {
    return isUsable(Buffer.from(key, "base64")) ? undefined : `has a placeholder in githubActions.key: ${UNUSABLE}`;
  }
  return "must have the public key of GitHub in githubActions.key: 44 characters of base64";
}
