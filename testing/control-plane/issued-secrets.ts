/** Secrets that control planes know: those of admin keys, and those of the keys made since. */
export interface IssuedSecrets {
  readonly admin: readonly string[];
  readonly keys: readonly string[];
}

/** Who knows the secrets that came into being in a control plane. */
type Issuer = () => { readonly admin: string; readonly keys: readonly string[] };

const issuers = new Set<Issuer>();

/** Makes a control plane's secrets known to whoever has to look for them later. */
export function noteIssuer(issuer: Issuer): void {
  issuers.add(issuer);
}

/** Every secret that came into being in this process, also those of control planes that are closed. */
export function issuedSecrets(): IssuedSecrets {
  const all = [...issuers].map((issuer) => issuer());
  const admin = all.map((each) => each.admin);
  return { admin, keys: all.flatMap((each) => each.keys).filter((secret) => !admin.includes(secret)) };
}
