import { keyIdOf } from "../../provider/ids";
import { conceal } from "../../provider/secrets";
import type { Deployment } from "../../provider/stack/deployment";
import { isKeyplanes } from "../../provider/stack/stack-state";

/** The properties of keyplane's resources with a secret. */
const SECRETS = ["key", "previousKey", "apiKey"];

/**
 * Keeps secrets of a state out of the output, in case that the state contains them in plain text and that one is also
 * where a name should be. The report copies none of these properties.
 */
export function concealSecrets({ resources }: Deployment): void {
  for (const { inputs, outputs, secrets } of resources.filter(isKeyplanes)) {
    for (const values of [inputs, outputs]) {
      for (const name of [...SECRETS, ...secrets]) concealIn(values[name]);
      concealIn(values.adopt);
    }
  }
}

/** Conceals a text, or the texts of an object, such as the triggers of a rotation. Ids of keys are not secrets. */
function concealIn(value: unknown): void {
  if (typeof value === "string") {
    if (keyIdOf(value) === undefined) conceal(value);
  } else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) concealIn(each);
}
