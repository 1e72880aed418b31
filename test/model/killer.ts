import { subscribe } from "node:diagnostics_channel";
import type { Account } from "../../provider/api";
import { AbortedError } from "../../provider/errors";

/** Simulates the process in which the provider's code runs, so that it can be killed. */
export class Killer {
  private static current: Killer | undefined;
  private static subscribed = false;
  /** Whether the process is dead. Nobody receives what its code still returns. */
  isDead = false;
  private left = Number.POSITIVE_INFINITY;
  private strike: () => void = () => {};

  constructor(private readonly account: Account) {
    if (!Killer.subscribed) subscribe("keyplane:provider", () => Killer.current?.reached());
    Killer.subscribed = true;
    Killer.current = this;
  }

  /** Strikes after the provider has published this many more moments. */
  arm(moments: number, strike: () => void): void {
    this.left = moments;
    this.strike = strike;
  }

  disarm(): void {
    this.left = Number.POSITIVE_INFINITY;
  }

  /** Kills the process: from now on it sends nothing. */
  kill(): void {
    this.isDead = true;
    this.account.abort(new AbortedError("killed"));
  }

  private reached(): void {
    this.left -= 1;
    if (this.left === 0) this.strike();
  }
}
