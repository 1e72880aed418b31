import type { Recipients, SealedTexts } from "./recipients";

/**
 * Seals a secret for recipients: only they can open the texts. Rejects if a recipient is unusable. Overwrites its copy of
 * the secret.
 */
export async function seal(secret: string, { age, githubActions }: Recipients): Promise<SealedTexts> {
  const bytes = Buffer.from(secret);
  try {
    return {
      ...(age && { age: await sealedWithAge(bytes, age) }),
      ...(githubActions && { githubActions: (await import("./sealed-box.js")).sealedBox(bytes, githubActions.key) }),
    };
  } finally {
    bytes.fill(0);
  }
}

async function sealedWithAge(bytes: Uint8Array, recipients: readonly string[]): Promise<string> {
  const { armor, Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  for (const recipient of new Set(recipients)) encrypter.addRecipient(recipient.toLowerCase());
  return armor.encode(await encrypter.encrypt(bytes));
}
