import { autoName, newRunId, noncesOf } from "../provider/keys/names";

const nonce = noncesOf(newRunId());

/** A name that keyplane generates for a new key of this identity. */
export function generatedName(prefix: string, identity: string): string {
  return autoName(prefix, identity, nonce());
}
