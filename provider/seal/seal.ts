import { sealedWithAge } from "./age";
import { sealedForKubernetes } from "./kubernetes";
import type { Recipients, SealedTexts } from "./recipients";
import { sealedWithRsa } from "./rsa";

/**
 * Seals a secret for recipients: only they can open the texts. Rejects if a recipient is unusable. Overwrites its copy of
 * the secret.
 */
export async function seal(secret: string, { age, githubActions, kubernetes, rsa }: Recipients): Promise<SealedTexts> {
  const bytes = Buffer.from(secret);
  try {
    return {
      ...(age && { age: await sealedWithAge(bytes, age) }),
      ...(githubActions && { githubActions: (await import("./sealed-box.js")).sealedBox(bytes, githubActions.key) }),
      ...(kubernetes && { kubernetes: sealedForKubernetes(bytes, kubernetes) }),
      ...(rsa && { rsa: sealedWithRsa(bytes, rsa) }),
    };
  } finally {
    bytes.fill(0);
  }
}
