import { constants, createPublicKey, type KeyObject, publicEncrypt } from "node:crypto";

/** A public key; or why a text has none that can be sealed to, as the end of a sentence that does not repeat the text. */
export type ReadKey = { readonly key: KeyObject } | { readonly problem: string };

const MIN_BITS = 2_048;

/** Reads a public key in PEM, which AWS KMS, Google Cloud KMS and Azure Key Vault show of their keys. */
export function rsaKeyIn(pem: unknown): ReadKey {
  return readPem(pem, "PUBLIC KEY", (text) => createPublicKey(text));
}

/** Reads a key from a text that has a block of PEM with this label, and no private key. */
export function readPem(pem: unknown, label: string, read: (text: string) => KeyObject): ReadKey {
  const text = typeof pem === "string" ? pem : "";
  if (text.includes("PRIVATE KEY-----")) return { problem: "it has a private key. Pass only what is public" };
  const begin = `-----BEGIN ${label}-----`;
  if (!text.includes(begin)) return { problem: `it must be a text in PEM with the line ${begin}` };
  try {
    return judged(read(text));
  } catch {
    return { problem: "it cannot be read, because a part of it is missing or changed" };
  }
}

function judged(key: KeyObject): ReadKey {
  if (key.asymmetricKeyType !== "rsa") return { problem: "its key is not for RSA" };
  const { modulusLength: bits = 0, publicExponent = 1n } = key.asymmetricKeyDetails ?? {};
  if (bits < MIN_BITS)
    return { problem: `its key has ${bits} bits, which is too weak. At least ${MIN_BITS} are required` };
  // With an exponent of 1, nothing is encrypted.
  return publicExponent < 3n ? { problem: "everybody could open what is sealed to its key" } : { key };
}

/** Encrypts bytes by RSA-OAEP with SHA-256. Throws if they are more than the key's length in bytes minus 66. */
export function oaep(bytes: Uint8Array, key: KeyObject, label = ""): Buffer {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return publicEncrypt({ key, padding, oaepHash: "sha256", oaepLabel: Buffer.from(label) }, bytes);
}

/** Seals bytes for the holder of each key, in the order of the keys, in base64. */
export function sealedWithRsa(bytes: Uint8Array, pems: readonly string[]): string[] {
  return pems.map((pem) => oaep(bytes, usable(rsaKeyIn(pem))).toString("base64"));
}

/** A key as one text, however its PEM is written. */
export const spkiOf = (read: ReadKey) => usable(read).export({ format: "der", type: "spki" }).toString("base64");

/** The key that was read. Throws if there is none. */
export function usable(read: ReadKey): KeyObject {
  if ("problem" in read) throw new Error(read.problem);
  return read.key;
}
