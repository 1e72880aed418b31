import { type GitHubReader, readerOf } from "./unit/seal/opener";

interface SealTo {
  readonly githubActions: { readonly key: string };
}

/** Two readers. Their keys are fixed, so that a run can be repeated. */
const READERS = [1, 2].map((byte) => readerOf(Buffer.alloc(32, byte).toString("base64")));

const recipientOf = ({ key }: GitHubReader): SealTo => ({ githubActions: { key } });

/** What `sealTo` can be. */
export const RECIPIENTS = READERS.map(recipientOf);

/** The secret in a sealed key that is for these recipients; `undefined` if they cannot open it. */
export function opened(sealed: unknown, sealTo: unknown): string | undefined {
  const reader = READERS.find(({ key }) => key === (sealTo as SealTo).githubActions.key);
  try {
    return reader?.open((sealed as { readonly githubActions: string }).githubActions);
  } catch {
    return undefined;
  }
}

/** The secret in a sealed key, whoever it is for. */
export function openedByAnybody(sealed: unknown): string | undefined {
  return RECIPIENTS.map((sealTo) => opened(sealed, sealTo)).find((key) => key !== undefined);
}
