import { Account, type AccountOptions } from "../../../provider/api";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../../../testing/control-plane";
import { DrivenClock } from "../http/driven-clock";

/** A control plane with an account on it. */
export interface Setup {
  readonly plane: ControlPlane;
  readonly account: Account;
  readonly clock: DrivenClock;
  /** The warnings of the account. */
  readonly warnings: string[];
}

const open: ControlPlane[] = [];

/** Starts a control plane and an account that uses it, with a clock that runs by itself. */
export async function startAccount(
  options: Partial<AccountOptions> = {},
  planeOptions: ControlPlaneOptions = {},
): Promise<Setup> {
  const plane = await startControlPlane(planeOptions);
  open.push(plane);
  const clock = new DrivenClock();
  const account = Account.for({
    baseUrl: plane.url,
    apiKey: plane.apiKey,
    requestTimeoutMs: 500,
    pollIntervalMs: 5_000,
    operationTimeoutMs: 60_000,
    concurrency: 8,
    clock,
    random: () => 0,
    ...options,
  });
  const warnings: string[] = [];
  account.onWarning = (message) => warnings.push(message);
  return { plane, account, clock, warnings };
}

/** Stops everything that `startAccount` started. */
export async function stopAccounts(): Promise<void> {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
}
