import type { Clock } from "../../provider/http";
import type { ControlPlane } from "../../testing/control-plane";
import { DrivenClock } from "../unit/http/driven-clock";

/** The time of a story. It passes only while somebody waits, and the clock of the control plane follows it. */
export class StoryClock extends DrivenClock {
  readonly #waking: number[] = [];
  #jumps = Promise.resolve();

  constructor(
    private readonly plane: ControlPlane,
    now: number,
  ) {
    super(false, now - 1_000);
  }

  /** The clock of one process: the same time, but another object, so that no process has the account of another one. */
  ofProcess(): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
  }

  async pass(ms: number): Promise<void> {
    await this.plane.clock.advance(ms);
    this.advance(ms);
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const at = this.monotonic() + ms;
    this.#waking.push(at);
    const sleep = super.sleep(ms, signal);
    // One after another, because two at once would advance the time twice.
    this.#jumps = this.#jumps.then(() => this.#jump());
    try {
      await sleep;
    } finally {
      this.#waking.splice(this.#waking.indexOf(at), 1);
    }
  }

  async #jump(): Promise<void> {
    await new Promise(setImmediate);
    const next = Math.min(...this.#waking);
    if (next > this.monotonic() && Number.isFinite(next)) await this.pass(next - this.monotonic());
    // A delay of nothing is over at once.
    else this.advance(0);
  }
}
