import { type Call, clocksOf, type Place } from "./place";

/** Maximum difference between this machine's and the service's clock at which ages are reliable, in milliseconds. */
export const MAX_SKEW_MS = 5 * 60_000;

/** Whether the two clocks differ by so much, in milliseconds, that ages are not reliable. */
export function areClocksApart(skewMs: number): boolean {
  return Math.abs(skewMs) > MAX_SKEW_MS;
}

const reported = new WeakSet<Place>();

/** Warns once if the machine's clock is wrong: a rotation by age comes at the wrong time. */
export function reportSkew({ place, row }: Pick<Call, "place" | "row">): void {
  const { skewMs } = place.account;
  if (skewMs === undefined || !areClocksApart(skewMs) || reported.has(place)) return;
  reported.add(place);
  const { here, there } = clocksOf(place);
  const [local, service] = [here, there].map((time) => new Date(time).toISOString());
  row.warn(
    `this machine's clock shows ${local}, but the service's shows ${service}. Correct the machine's clock, because ` +
      "rotation by age depends on it",
  );
}
