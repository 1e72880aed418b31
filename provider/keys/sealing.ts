import { KeyplaneError, messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import { expiredIn, parseRecipients, type Recipients, type SealedTexts } from "../seal/recipients";
import { seal } from "../seal/seal";

export type Sealer = (secret: string) => Promise<SealedTexts>;

/**
 * Prepares to seal a key that is about to be created. Seals a text first, so that a recipient to whom nothing can be
 * sealed, or a library that cannot be loaded, fails before there is a key that nobody could read. Throws `KP-SEAL`.
 * @param now - In milliseconds since 1970.
 */
export async function sealerFor(sealTo: unknown, now: number): Promise<Sealer> {
  const parsed = parseRecipients(sealTo);
  if ("problem" in parsed) throw new KeyplaneError("KP-SEAL", `sealTo ${parsed.problem}`);
  const expired = expiredIn(sealTo, now);
  if (expired !== undefined) throw new KeyplaneError("KP-SEAL", `sealTo ${expired}. No key was created`);
  const { recipients } = parsed;
  await Promise.all(Object.keys(recipients).map((format) => tryOnce(format, recipients)));
  return (secret) => seal(secret, recipients);
}

/** The trials of recipients. All keys of a stack often have the same ones, and a trial takes as long as a key. */
const trials = new Map<string, Promise<void>>();

function tryOnce(format: string, recipients: Recipients): Promise<void> {
  const tried = { [format]: recipients[format as keyof Recipients] };
  const text = JSON.stringify(tried);
  const trial = getOrCreate(trials, text, async () => {
    try {
      await seal("keyplane", tried);
    } catch (error) {
      throw new KeyplaneError(
        "KP-SEAL",
        `nothing can be sealed for the recipients in sealTo.${format}: ${messageOf(error)}. No key was created. Check the ` +
          "public keys, and that the packages of keyplane are completely installed",
      );
    }
  });
  trial.catch(() => trials.delete(text));
  return trial;
}
