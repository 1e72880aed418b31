import type { Recipients, SealedTexts } from "./recipients";

const SEALS: { readonly [format in keyof Required<Recipients>]: Seal<NonNullable<Recipients[format]>> } = {
  async age(bytes, recipients) {
    const { armor, Encrypter } = await import("age-encryption");
    const encrypter = new Encrypter();
    for (const recipient of new Set(recipients)) encrypter.addRecipient(recipient.toLowerCase());
    return armor.encode(await encrypter.encrypt(bytes));
  },
  async githubActions(bytes, { key }) {
    const { sealedBox } = await import("./sealed-box.js");
    return sealedBox(bytes, key);
  },
};

type Seal<Recipient> = (bytes: Uint8Array, recipient: Recipient) => Promise<string>;

/**
 * Seals a secret for recipients: only they can open the texts. Rejects if a recipient is unusable. Overwrites its copy of
 * the secret.
 */
export async function seal(secret: string, { age, githubActions }: Recipients): Promise<SealedTexts> {
  const bytes = Buffer.from(secret);
  try {
    return {
      ...(age && { age: await SEALS.age(bytes, age) }),
      ...(githubActions && { githubActions: await SEALS.githubActions(bytes, githubActions) }),
    };
  } finally {
    bytes.fill(0);
  }
}
