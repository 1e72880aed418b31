import {
  constants,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
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

/** A service that has a private key for RSA, such as AWS KMS. */
export class RsaReader {
  /** The public key in PEM. */
  readonly pem: string;

  constructor(private readonly privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey) {
    this.pem = String(createPublicKey(privateKey).export({ format: "pem", type: "spki" }));
  }

  open(text: unknown): string {
    return unwrapped(Buffer.from(String(text), "base64"), this.privateKey).toString();
  }
}

/**
 * What other programs made: `openssl` the key and the certificates, `openssl pkeyutl` a text for the key, and
 * `kubeseal --raw` texts for `renewed.crt`, whose key `controller.crt` has, too.
 */
export const vector = (file: string) => readFileSync(join("test/unit/seal/vectors", file), "utf8");

/** The controller of Sealed Secrets in a cluster. */
export const controller = {
  privateKey: createPrivateKey(vector("controller.key")),
  /** Valid for a hundred years. */
  certificate: vector("renewed.crt"),

  /** Opens an entry of `encryptedData`. The label is `namespace/name` for the scope `strict`. */
  open(text: unknown, label: string): string {
    const bytes = Buffer.from(String(text), "base64");
    const end = 2 + bytes.readUInt16BE(0);
    const key = unwrapped(bytes.subarray(2, end), this.privateKey, label);
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.alloc(12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(end, -16)), decipher.final()]).toString();
  },
};

/** Opens what RSA-OAEP with SHA-256 has sealed. */
function unwrapped(bytes: Buffer, key: KeyObject, label = ""): Buffer {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  return privateDecrypt({ key, padding, oaepHash: "sha256", oaepLabel: Buffer.from(label) }, bytes);
}

/** Not exported as a JWK: `provider/seal/x25519.ts` says why. */
function bytesOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(-32);
}
