import { hsalsa, xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { agreeWith } from "./x25519";

const KEY_BYTES = 32;
const NONCE_BYTES = 24;

/** "expand 32-byte k", the constant of Salsa20, as words. */
const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

/**
 * Seals bytes as `crypto_box_seal` of libsodium does, which GitHub requires: the public key of a new pair, and a
 * `crypto_box` from this pair to the recipient. The nonce is the hash of both public keys.
 * @param key - The recipient's public key for X25519, in base64.
 */
export function sealedBox(bytes: Uint8Array, key: string): string {
  const recipient = Buffer.from(key, "base64");
  const { share, secret } = agreeWith(recipient);
  const boxKey = new Uint32Array(KEY_BYTES / 4);
  hsalsa(SIGMA, words(secret), new Uint32Array(4), boxKey);
  const nonce = blake2b(Buffer.concat([share, recipient]), { dkLen: NONCE_BYTES });
  const box = xsalsa20poly1305(new Uint8Array(boxKey.buffer), nonce).encrypt(bytes);
  return Buffer.concat([share, box]).toString("base64");
}

/** Little-endian words, also on a machine with another order. */
function words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUInt32LE(at * 4));
}
