import type { ControlPlane } from "../../testing/control-plane";
import { DrivenClock } from "../unit/http/driven-clock";

/** A driven clock, which the clocks of control planes follow. Time passes only while somebody waits. */
export class LinkedClock extends DrivenClock {
  /** Called while everybody waits, each time before the time advances. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  readonly planes: ControlPlane[];
  #waking: number[] = [];
  #jumps = Promise.resolve();

  constructor(plane: ControlPlane, now: number) {
    super(false, now - 1_000);
    this.planes = [plane];
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const at = this.monotonic() + ms;
    this.#waking.push(at);
    const sleep = super.sleep(ms, signal);
    // Advances one at a time, because two at once would advance the time twice.
    this.#jumps = this.#jumps.then(() => this.#jump());
    try {
      await sleep;
    } finally {
      this.#waking.splice(this.#waking.indexOf(at), 1);
    }
  }

  async pass(ms: number): Promise<void> {
    await Promise.all(this.planes.map((plane) => plane.clock.advance(ms)));
    this.advance(ms);
  }

  async #jump(): Promise<void> {
    await new Promise(setImmediate);
    await this.meanwhile();
    const next = Math.min(...this.#waking);
    if (next > this.monotonic() && Number.isFinite(next)) await this.pass(next - this.monotonic());
    // A delay of nothing is over at once.
    else this.advance(0);
  }
}
