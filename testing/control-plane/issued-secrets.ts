/** Secrets that control planes know: those of admin keys, and those of keys created later. */
export interface IssuedSecrets {
  readonly admin: readonly string[];
  readonly keys: readonly string[];
}

/** Returns the secrets that a control plane created. */
type Issuer = () => { readonly admin: string; readonly keys: readonly string[] };

const issuers = new Set<Issuer>();

/** Registers a control plane's secrets, so that later searches can find them. */
export function noteIssuer(issuer: Issuer): void {
  issuers.add(issuer);
}

/** Returns every secret created in this process, including those of closed control planes. */
export function issuedSecrets(): IssuedSecrets {
  const all = [...issuers].map((issuer) => issuer());
  const admin = all.map((each) => each.admin);
  return { admin, keys: all.flatMap((each) => each.keys).filter((secret) => !admin.includes(secret)) };
}
