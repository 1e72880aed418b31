import { sealedWithAge } from "./age";
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
