import type { Clock } from "../../provider/http";
import { LinkedClock } from "../unit/resources/linked-clock";

/** The time of a story. */
export class StoryClock extends LinkedClock {
  /** The clock of one process: the same time, but another object, so that no process has the account of another one. */
  ofProcess(): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
  }
}
