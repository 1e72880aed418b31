import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";

/** What a sender and a recipient have in common: `secret`, which the recipient computes from `share`. */
interface Agreement {
  /** The public key of a new pair. */
  readonly share: Buffer;
  readonly secret: Buffer;
}

/** Agrees on a secret with the holder of a public key (RFC 7748). Throws for a key whose secret everybody can compute. */
export function agreeWith(recipient: Uint8Array): Agreement {
  const pair = generateKeyPairSync("x25519");
  const share = Buffer.from(String(pair.publicKey.export({ format: "jwk" }).x), "base64url");
  const x = Buffer.from(recipient).toString("base64url");
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
  return { share, secret: diffieHellman({ privateKey: pair.privateKey, publicKey }) };
}
