/** The passphrase secrets provider. Encrypts secrets in a stack's state and configuration, in Pulumi's format. */
import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { Deployment, PendingOperation, ResourceState, SecretsProviders } from "./checkpoint";
import { mapMapSecrets, mapSecrets, SECRET_SIGNATURE, type SecretEnvelope, SIGNATURE_KEY } from "./property";

const ROUNDS = 1_000_000;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
// Encrypted next to the salt, so that a wrong passphrase is detected before anything else is decrypted.
const PROBE = "pulumi";

const derive = promisify(pbkdf2);
// Deriving a key takes about 0.4 s, so a process with many stacks derives each key once.
const keys = new Map<string, Promise<Buffer>>();

/** The passphrase does not match the one that encrypted the stack. */
export class IncorrectPassphraseError extends Error {
  override readonly name = "IncorrectPassphraseError";

  constructor() {
    super("incorrect passphrase: PULUMI_CONFIG_PASSPHRASE is not the one this stack was encrypted with");
  }
}

/** Encrypts and decrypts the secrets of one stack. */
export class PassphraseSecrets {
  private constructor(
    private readonly key: Buffer,
    /** `v1:SALT:CIPHERTEXT`, as in `encryptionsalt` of a stack's configuration and in its checkpoint. */
    readonly salt: string,
  ) {}

  /** Creates the secrets of a new stack, with a random salt. */
  static async create(passphrase: string): Promise<PassphraseSecrets> {
    const salt = randomBytes(8);
    const key = await deriveKey(passphrase, salt);
    return new PassphraseSecrets(key, `v1:${salt.toString("base64")}:${encrypt(key, PROBE)}`);
  }

  /**
   * Opens the secrets of a stack with an existing salt.
   * @throws IncorrectPassphraseError if the passphrase does not match.
   */
  static async open(passphrase: string, salt: string): Promise<PassphraseSecrets> {
    const [, version, text, probe] = /^(v1):([^:]+):(.+)$/.exec(salt) ?? [];
    if (version === undefined || text === undefined || probe === undefined) {
      throw new Error("malformed encryption salt: expected v1:SALT:CIPHERTEXT");
    }
    const key = await deriveKey(passphrase, Buffer.from(text, "base64"));
    if (tryDecrypt(key, probe) !== PROBE) throw new IncorrectPassphraseError();
    return new PassphraseSecrets(key, salt);
  }

  /** Encrypts a text. Each call returns a different ciphertext. */
  encrypt(text: string): string {
    return encrypt(this.key, text);
  }

  /** Decrypts a ciphertext. Fails if it was encrypted with another key or modified. */
  decrypt(ciphertext: string): string {
    const text = tryDecrypt(this.key, ciphertext);
    if (text === undefined)
      throw new Error("a secret cannot be decrypted: it was encrypted for another stack, or damaged");
    return text;
  }

  /** The secrets section of a checkpoint. */
  get providers(): SecretsProviders {
    return { type: "passphrase", state: { salt: this.salt } };
  }

  /** Encrypts the secrets of a resource. */
  sealResource(resource: ResourceState): ResourceState {
    return mapResource(resource, ({ plaintext, ...envelope }) =>
      plaintext === undefined ? envelope : { ...envelope, ciphertext: this.encrypt(plaintext) },
    );
  }

  /** Decrypts the secrets of a resource. */
  openResource(resource: ResourceState): ResourceState {
    return mapResource(resource, ({ ciphertext, plaintext }) => ({
      [SIGNATURE_KEY]: SECRET_SIGNATURE,
      plaintext: plaintext ?? this.decrypt(ciphertext ?? ""),
    }));
  }

  /** Encrypts the secrets of a deployment for writing or exporting, and adds this secrets provider. */
  sealDeployment(deployment: Deployment): Deployment {
    return {
      ...mapDeployment(deployment, (resource) => this.sealResource(resource)),
      secrets_providers: this.providers,
    };
  }

  /** Decrypts the secrets of a deployment. */
  openDeployment(deployment: Deployment): Deployment {
    return mapDeployment(deployment, (resource) => this.openResource(resource));
  }
}

/**
 * Returns the passphrase from the environment: `PULUMI_CONFIG_PASSPHRASE`, or the content of the file that
 * `PULUMI_CONFIG_PASSPHRASE_FILE` names. An empty passphrase is valid. Throws if neither is set.
 */
export function passphraseOf(env: NodeJS.ProcessEnv): string {
  if (env.PULUMI_CONFIG_PASSPHRASE !== undefined) return env.PULUMI_CONFIG_PASSPHRASE;
  if (env.PULUMI_CONFIG_PASSPHRASE_FILE) return readFileSync(env.PULUMI_CONFIG_PASSPHRASE_FILE, "utf8").trim();
  throw new Error("no passphrase: set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE");
}

function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  const of = `${salt.toString("hex")} ${passphrase}`;
  const key = keys.get(of) ?? derive(passphrase, salt, ROUNDS, KEY_BYTES, "sha256");
  keys.set(of, key);
  return key;
}

function encrypt(key: Buffer, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
}

function tryDecrypt(key: Buffer, ciphertext: string): string | undefined {
  const [version, nonce, sealed] = ciphertext
    .split(":")
    .map((part, i) => (i === 0 ? part : Buffer.from(part, "base64")));
  if (version !== "v1" || !(nonce instanceof Buffer) || !(sealed instanceof Buffer)) return undefined;
  if (nonce.length !== NONCE_BYTES || sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

function mapDeployment(deployment: Deployment, map: (resource: ResourceState) => ResourceState): Deployment {
  const operation = (pending: PendingOperation) => ({ ...pending, resource: map(pending.resource) });
  return {
    ...deployment,
    ...(deployment.resources && { resources: deployment.resources.map(map) }),
    ...(deployment.pending_operations && { pending_operations: deployment.pending_operations.map(operation) }),
  };
}

function mapResource(resource: ResourceState, replace: (secret: SecretEnvelope) => SecretEnvelope): ResourceState {
  const { inputs, outputs, replacementTrigger } = resource;
  return {
    ...resource,
    ...(inputs && { inputs: mapMapSecrets(inputs, replace) }),
    ...(outputs && { outputs: mapMapSecrets(outputs, replace) }),
    ...(replacementTrigger !== undefined && { replacementTrigger: mapSecrets(replacementTrigger, replace) }),
  };
}
