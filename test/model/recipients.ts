import type { Properties } from "../../provider/schema/resource-type";
import { type GitHubReader, readerOf } from "../unit/seal/opener";

/** Two readers. Their keys are fixed, so that a story can be repeated. */
const READERS = [1, 2].map((byte) => readerOf(Buffer.alloc(32, byte).toString("base64")));

const recipientOf = ({ key }: GitHubReader) => ({ githubActions: { key } });

/** What `sealTo` can be. */
export const RECIPIENTS = READERS.map(recipientOf);

/** The secret in a sealed key that is for these recipients; `undefined` if they cannot open it. */
export function opened(sealed: unknown, sealTo: unknown): string | undefined {
  const { key } = (sealTo as Properties).githubActions as { readonly key: string };
  const reader = READERS.find((each) => each.key === key);
  try {
    return reader?.open((sealed as Properties).githubActions);
  } catch {
    return undefined;
  }
}

/** The secret in a sealed key, whoever it is for. */
export function openedByAnybody(sealed: unknown): string | undefined {
  return RECIPIENTS.map((sealTo) => opened(sealed, sealTo)).find((key) => key !== undefined);
}
