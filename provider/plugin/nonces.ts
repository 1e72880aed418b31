import { createHash } from "node:crypto";
import { base32 } from "../base32";
import { getOrCreate } from "../get-or-create";
import { nonceFrom } from "../keys/names";
import { withoutEmpty } from "../members";
import { type EngineValues, NONCE } from "./engine-values";

/** The seed of the nonces of a key that is about to be created: a resource that exists has its own. */
export function nonceInput(urn: string, olds: EngineValues, seed: Uint8Array): EngineValues {
  if (Object.keys(olds).length > 0) return withoutEmpty({ [NONCE]: olds[NONCE] });
  if (seed.length === 0) return {};
  return { [NONCE]: base32(createHash("sha256").update(seed).update(urn).digest().subarray(0, 10)) };
}

/** The nonces of creations, by the seeds in their inputs. */
export class Nonces {
  readonly #next = new Map<string, () => string>();

  /** The nonces of a creation, in order, also if it is repeated; `undefined` if its inputs have no seed. */
  of({ [NONCE]: seed }: EngineValues): (() => string) | undefined {
    if (seed === undefined) return undefined;
    return getOrCreate(this.#next, seed, () => {
      let attempt = 0;
      return () => nonceFrom(seed, attempt++);
    });
  }
}
