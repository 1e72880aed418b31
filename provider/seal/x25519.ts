import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";

/** The length of a public key, which is the end of its export as SPKI (RFC 8410). */
const KEY_BYTES = 32;

/**
 * Agrees on a secret with the holder of a public key (RFC 7748), who computes it from `share`, the public key of a new
 * pair. Throws for a key whose secret everybody can compute.
 */
export function agreeWith(recipient: Uint8Array): { readonly share: Buffer; readonly secret: Buffer } {
  const pair = generateKeyPairSync("x25519");
  // Not as a JWK: Node then holds a lock of the pair, for which its garbage collector can wait forever.
  const share = pair.publicKey.export({ format: "der", type: "spki" }).subarray(-KEY_BYTES);
  const x = Buffer.from(recipient).toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
  return { share, secret: diffieHellman({ privateKey: pair.privateKey, publicKey }) };
}
