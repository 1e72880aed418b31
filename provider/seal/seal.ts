import type { Recipients, SealedTexts } from "./recipients";

/** Seals a text for each format of some recipients. */
const SEALS: { readonly [format in keyof Required<Recipients>]: Seal<NonNullable<Recipients[format]>> } = {
  async age(text, recipients) {
    const { armor, Encrypter } = await import("age-encryption");
    const encrypter = new Encrypter();
    for (const recipient of new Set(recipients)) encrypter.addRecipient(recipient.toLowerCase());
    return armor.encode(await encrypter.encrypt(text));
  },
  async githubActions(text, { key }) {
    const { sealedBox } = await import("./sealed-box.js");
    return sealedBox(text, key);
  },
};

type Seal<Recipient> = (text: string, recipient: Recipient) => Promise<string>;

/** Seals a secret for recipients: only they can open the texts. Rejects if a recipient is unusable. */
export async function seal(secret: string, { age, githubActions }: Recipients): Promise<SealedTexts> {
  return {
    ...(age && { age: await SEALS.age(secret, age) }),
    ...(githubActions && { githubActions: await SEALS.githubActions(secret, githubActions) }),
  };
}
