import { PassphraseSecrets } from "../engine/secrets";

const created = new Map<string, Promise<PassphraseSecrets>>();

/** The secrets of a new stack. All new stacks of this process with one passphrase share a salt, and so its key. */
export function createSecrets(passphrase: string): Promise<PassphraseSecrets> {
  const secrets = created.get(passphrase) ?? PassphraseSecrets.create(passphrase);
  created.set(passphrase, secrets);
  return secrets;
}
