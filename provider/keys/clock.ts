import type { Account } from "../api/account";
import type { Call } from "./call";
import type { KeyList } from "./key-list";

/** Maximum difference between this machine's and the service's clock at which ages are reliable, in milliseconds. */
const MAX_SKEW_MS = 5 * 60_000;

/** Whether the two clocks differ by so much, in milliseconds, that ages are not reliable. */
export function areClocksApart(skewMs: number): boolean {
  return Math.abs(skewMs) > MAX_SKEW_MS;
}

/** The two clocks, in words; `undefined` if they agree, or if no answer has shown the service's clock yet. */
export function clockSkew(account: Account): string | undefined {
  const { skewMs } = account;
  if (skewMs === undefined || !areClocksApart(skewMs)) return undefined;
  const [here, there] = [account.now(), account.serviceNow()].map((time) => new Date(time).toISOString());
  return `this machine's clock shows ${here}, but the service's shows ${there}`;
}

const reported = new WeakSet<KeyList>();

/** Warns once if the machine's clock is wrong: a rotation by age comes at the wrong time. */
export function reportSkew({ keyList, log }: Pick<Call, "keyList" | "log">): void {
  const skew = clockSkew(keyList.account);
  if (skew === undefined || reported.has(keyList)) return;
  reported.add(keyList);
  log.warn(`${skew}. Correct the machine's clock, because rotation by age depends on it`);
}
