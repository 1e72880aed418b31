import { formatDuration } from "../duration";
import type { Context, Properties } from "../schema/resource-type";

/** Maximum difference between this machine's and the service's clock at which ages are reliable, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

/** How far this machine's clock is off, in words; `undefined` if the difference is small enough. */
export function clockSkew(context: Context): string | undefined {
  const skew = context.account().skewMs;
  if (skew === undefined || Math.abs(skew) <= MAX_SKEW_MS) return undefined;
  return `this machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"} the service's clock`;
}

/**
 * Why a new key must not be kept: with `rotateAfter`, a wrong clock would rotate too early, too late or endlessly.
 * Without `rotateAfter`, only warns.
 */
export function skewedAge(inputs: Properties, context: Context): string | undefined {
  const off = clockSkew(context);
  if (off === undefined) return undefined;
  if (inputs.rotateAfter !== undefined) {
    return `${off}, and rotateAfter depends on it. Correct the clock and run \`pulumi up\` again`;
  }
  context.warn(`${off}. Correct it, because rotation by age depends on it`);
  return undefined;
}
