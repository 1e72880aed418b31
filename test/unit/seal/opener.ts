import { createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import { hsalsa, xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { blake2b } from "@noble/hashes/blake2.js";

/** Somebody with a private key of age. */
export class AgeReader {
  private constructor(
    /** The public key, for `sealTo`. */
    readonly recipient: string,
    private readonly identity: string,
  ) {}

  static async create(): Promise<AgeReader> {
    const { generateIdentity, identityToRecipient } = await import("age-encryption");
    const identity = await generateIdentity();
    return new AgeReader(await identityToRecipient(identity), identity);
  }

  async open(text: unknown): Promise<string> {
    const { armor, Decrypter } = await import("age-encryption");
    const decrypter = new Decrypter();
    decrypter.addIdentity(this.identity);
    return decrypter.decrypt(armor.decode(String(text)), "text");
  }
}

/** GitHub, which has a private key for each repository. Opens what libsodium calls a sealed box. */
export class GitHubReader {
  /** The public key as GitHub's API shows it. */
  readonly key: string;
  private readonly pair = generateKeyPairSync("x25519");

  constructor() {
    this.key = bytesOf(this.pair.publicKey).toString("base64");
  }

  open(text: unknown): string {
    const sealed = Buffer.from(String(text), "base64");
    const [sender, box] = [sealed.subarray(0, 32), sealed.subarray(32)];
    const publicKey = createPublicKey({
      key: { kty: "OKP", crv: "X25519", x: sender.toString("base64url") },
      format: "jwk",
    });
    const shared = diffieHellman({ privateKey: this.pair.privateKey, publicKey });
    const sigma = new Uint32Array(new TextEncoder().encode("expand 32-byte k").buffer);
    const secret = new Uint32Array(8);
    hsalsa(sigma, new Uint32Array(Uint8Array.from(shared).buffer), new Uint32Array(4), secret);
    const nonce = blake2b(Buffer.concat([sender, Buffer.from(this.key, "base64")]), { dkLen: 24 });
    return Buffer.from(xsalsa20poly1305(new Uint8Array(secret.buffer), nonce).decrypt(box)).toString();
  }
}

/** A reader with a recorded private key, to open a recorded text. */
export function readerOf(privateKey: string): GitHubReader {
  const reader = new GitHubReader();
  const der = Buffer.concat([
    Buffer.from("302e020100300506032b656e04220420", "hex"),
    Buffer.from(privateKey, "base64"),
  ]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const pair = { privateKey: key, publicKey: createPublicKey(key) };
  return Object.assign(reader, { pair, key: bytesOf(pair.publicKey).toString("base64") });
}

/** Not exported as a JWK: `provider/seal/x25519.ts` says why. */
function bytesOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(-32);
}
