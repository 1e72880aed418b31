import { formatDuration } from "../duration";
import type { Context, Properties } from "../schema/resource-type";

/** An age is only worth acting on while this machine and the service agree about the time, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

/** How far this machine's clock is off, for people; `undefined` while it agrees with the service's well enough. */
export function clockSkew(context: Context): string | undefined {
  const skew = context.account().skewMs;
  if (skew === undefined || Math.abs(skew) <= MAX_SKEW_MS) return undefined;
  return `this machine's clock is ${formatDuration(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"} the service's`;
}

/**
 * Why a key just made must not be kept: where age decides, a wrong clock would rotate too early, too late or for ever.
 * Where it does not, only warns.
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
