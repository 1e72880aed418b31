import { createCipheriv, randomBytes, X509Certificate } from "node:crypto";
import { isObject } from "../members";
import { oaep, type ReadKey, readPem, spkiOf, usable } from "./rsa";

const SCOPES = ["strict", "namespace-wide", "cluster-wide"] as const;

/** A `SealedSecret` that the controller of Sealed Secrets opens in a cluster. */
export interface KubernetesRecipient {
  /** The controller's certificate in PEM. */
  readonly certificate: string;
  readonly namespace?: string;
  readonly name?: string;
  /** @default "strict" */
  readonly scope?: (typeof SCOPES)[number];
}

/** What a name in Kubernetes consists of: of a namespace (RFC 1123 label), and of a secret (RFC 1123 subdomain). */
const LABEL = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
const NAMESPACE = new RegExp(`^(?=.{1,63}$)${LABEL}$`);
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`);

/** What is wrong with a recipient, as the end of a sentence that does not repeat the certificate. */
export function kubernetesProblem(value: unknown): string | undefined {
  if (!isObject(value)) return `must have ${FORM}`;
  const { certificate, namespace, name, scope = "strict", ...others } = value;
  if (Object.keys(others).length > 0) return `must have nothing else than ${FORM}`;
  const known: readonly unknown[] = SCOPES;
  if (!known.includes(scope)) return 'must have "strict", "namespace-wide" or "cluster-wide" in kubernetes.scope';
  const isNeeded = { namespace: scope !== "cluster-wide", name: scope === "strict" };
  if ((isNeeded.namespace || namespace !== undefined) && !isName(namespace, NAMESPACE)) {
    return "must have a namespace of Kubernetes in kubernetes.namespace: 1 to 63 characters (a-z, 0-9 and -)";
  }
  if ((isNeeded.name || name !== undefined) && !isName(name, NAME)) {
    return "must have the name of the secret in kubernetes.name: 1 to 253 characters (a-z, 0-9, - and .)";
  }
  const read = certificateIn(certificate);
  if (!("problem" in read)) return undefined;
  return `has an invalid certificate in kubernetes.certificate: ${read.problem}. \`kubeseal --fetch-cert\` prints the right one`;
}

const FORM = "in kubernetes { certificate, namespace, name, scope }";

const isName = (value: unknown, form: RegExp) => typeof value === "string" && form.test(value);

function certificateIn(pem: unknown): ReadKey {
  return readPem(pem, "CERTIFICATE", (text) => new X509Certificate(text).publicKey);
}

/** When the certificate ends, in milliseconds since 1970. */
export function certificateEnd({ certificate }: KubernetesRecipient): number {
  return Date.parse(new X509Certificate(certificate).validTo);
}

/** One text for each recipient that opens the same sealed keys, whatever else differs. */
export function canonicalKubernetes(recipient: KubernetesRecipient): readonly string[] {
  return [spkiOf(certificateIn(recipient.certificate)), labelOf(recipient)];
}

/** What the controller requires to be the same when it opens the text. */
function labelOf({ namespace = "", name = "", scope = "strict" }: KubernetesRecipient): string {
  if (scope === "cluster-wide") return "";
  return scope === "namespace-wide" ? namespace : `${namespace}/${name}`;
}

/**
 * Seals bytes as an entry of `encryptedData` of a `SealedSecret`: a key for AES that RSA encrypts, after its length, and
 * what AES encrypts.
 */
export function sealedForKubernetes(bytes: Uint8Array, recipient: KubernetesRecipient): string {
  const once = randomBytes(32);
  try {
    const wrapped = oaep(once, usable(certificateIn(recipient.certificate)), labelOf(recipient));
    const length = Buffer.alloc(2);
    length.writeUInt16BE(wrapped.length);
    // The nonce is zero, because the key is used once.
    const cipher = createCipheriv("aes-256-gcm", once, Buffer.alloc(12));
    const sealed = [cipher.update(bytes), cipher.final()];
    return Buffer.concat([length, wrapped, ...sealed, cipher.getAuthTag()]).toString("base64");
  } finally {
    once.fill(0);
  }
}
