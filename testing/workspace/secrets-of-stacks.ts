import { PassphraseSecrets } from "../engine/state/secrets";

const created = new Map<string, Promise<PassphraseSecrets>>();

/** The secrets of a new stack. In this process, new stacks with the same passphrase share a salt and thus a key. */
export function createSecrets(passphrase: string): Promise<PassphraseSecrets> {
  const secrets = created.get(passphrase) ?? PassphraseSecrets.create(passphrase);
  created.set(passphrase, secrets);
  return secrets;
}
