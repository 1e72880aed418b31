import { PassphraseSecrets } from "../engine/secrets";

// Deriving a key takes about 0.4 s: a process that looks into many stacks derives each key once.
const opened = new Map<string, Promise<PassphraseSecrets>>();
const created = new Map<string, Promise<PassphraseSecrets>>();

/** The secrets of a stack with this salt. */
export function openSecrets(passphrase: string, salt: string): Promise<PassphraseSecrets> {
  return once(opened, `${passphrase}\0${salt}`, () => PassphraseSecrets.open(passphrase, salt));
}

/** The secrets of a new stack. All new stacks of this process with one passphrase share a salt. */
export function createSecrets(passphrase: string): Promise<PassphraseSecrets> {
  return once(created, passphrase, async () => {
    const secrets = await PassphraseSecrets.create(passphrase);
    opened.set(`${passphrase}\0${secrets.salt}`, Promise.resolve(secrets));
    return secrets;
  });
}

function once<T>(cache: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}
