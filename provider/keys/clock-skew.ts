import { KeyplaneError } from "../errors";
import type { Context, NextDue } from "../schema/resource-type";

/** Maximum difference between this machine's and the service's clock at which ages are reliable, in milliseconds. */
export const MAX_SKEW_MS = 5 * 60_000;

/** Whether the two clocks differ by so much, in milliseconds, that ages are not reliable. */
export function areClocksApart(skewMs: number): boolean {
  return Math.abs(skewMs) > MAX_SKEW_MS;
}

/** The two clocks, in words; `undefined` if they agree, or if no answer has shown the service's clock yet. */
export function clockSkew(context: Pick<Context, "account" | "now">): string | undefined {
  const { skewMs } = context.account();
  if (skewMs === undefined || !areClocksApart(skewMs)) return undefined;
  const [here, there] = [context.now(), context.account().serviceNow()].map((time) => new Date(time).toISOString());
  return `this machine's clock shows ${here}, but the service's shows ${there}`;
}

/**
 * The later of this machine's and the service's time, so that a wrong clock ends no grace too early. Without an answer
 * that has shown the service's clock, it is the machine's.
 */
export function laterNow(context: Context): number {
  return Math.max(context.now(), context.account().serviceNow());
}

/** Warns once in a run if the machine's clock is wrong. The new key is good: only later decisions depend on the clock. */
export function reportSkew(context: Context): void {
  const skew = clockSkew(context);
  if (skew === undefined || context.run.isSkewReported) return;
  context.run.isSkewReported = true;
  context.warn(`${skew}. Correct the machine's clock, because rotation by age depends on it`);
}

/**
 * Why a key that is due by this machine's clock must not rotate: the service's clock shows another age. `undefined` if
 * no answer shows that.
 */
export function notDueYet(due: NextDue, context: Context): string | undefined {
  const skew = clockSkew(context);
  if (skew === undefined) return undefined;
  const serviceNow = context.account().serviceNow();
  const at = due(serviceNow);
  if (serviceNow >= at) return undefined;
  return `the key is due for rotation at ${new Date(at).toISOString()}, but it is not rotated yet, because ${skew}`;
}

/**
 * Throws `KP-CLOCK` if the resource is replaced only because of its key's age, and the service's clock disagrees. The
 * replacement revokes the old key, so a list is requested if no answer has shown the service's clock yet.
 */
export async function mustBeDue(context: Context): Promise<void> {
  const due = context.run.replacedByAge.get(context.urn);
  if (due === undefined) return;
  if (context.account().skewMs === undefined) await context.keys().list({ recent: true });
  const reason = notDueYet(due, context);
  if (reason === undefined) return;
  throw new KeyplaneError(
    "KP-CLOCK",
    `${reason}. Nothing was changed. Correct the machine's clock and run \`pulumi up\` again`,
  );
}
