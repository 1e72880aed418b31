import { KeyplaneError, messageOf } from "../errors";
import { parseRecipients, type Recipients, type SealedTexts } from "../seal/recipients";
import { seal } from "../seal/seal";

export type Sealer = (secret: string) => Promise<SealedTexts>;

/**
 * Prepares to seal a key that is about to be created. Seals a text first, so that a recipient to whom nothing can be
 * sealed, or a library that cannot be loaded, fails before there is a key that nobody could read. Throws `KP-SEAL`.
 */
export async function sealerFor(sealTo: unknown): Promise<Sealer> {
  const parsed = parseRecipients(sealTo);
  if ("problem" in parsed) throw new KeyplaneError("KP-SEAL", `sealTo ${parsed.problem}`);
  const { recipients } = parsed;
  for (const format of Object.keys(recipients)) await tryFormat(format, recipients);
  return (secret) => seal(secret, recipients);
}

/** Recipients for whom something was sealed. All keys of a stack often have the same ones, and a trial takes as long as a key. */
const usable = new Set<string>();

async function tryFormat(format: string, recipients: Recipients): Promise<void> {
  const tried = { [format]: recipients[format as keyof Recipients] };
  const text = JSON.stringify(tried);
  if (usable.has(text)) return;
  try {
    await seal("keyplane", tried);
    usable.add(text);
  } catch (error) {
    throw new KeyplaneError(
      "KP-SEAL",
      `nothing can be sealed for the recipients in sealTo.${format}: ${messageOf(error)}. No key was created. Check the ` +
        "public keys, and that the packages of keyplane are completely installed",
    );
  }
}
