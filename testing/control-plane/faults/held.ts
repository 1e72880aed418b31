/** A request that is parked by a rule. */
export interface HeldRequest {
  /** `seq` of its log entry. */
  seq: number;
  /** The HTTP method. */
  method: string;
  /** The route's template. */
  route: string | null;
  /** The path as sent, below the base URL. */
  path: string;
  /** Whether it has taken effect (`after`) or not yet (`before`). */
  phase: "before" | "after";
}

/** How a parked request goes on: on its way, or dropped (no effect if there was none yet, and no answer). */
export type Release = "continue" | "drop";

/** Requests that rules have parked until a control call releases them. */
export class Held {
  private parked = new Map<HeldRequest, (release: Release) => void>();
  private watchers = new Set<() => void>();

  /** Parks a request until it is released. */
  park(request: HeldRequest): Promise<Release> {
    return new Promise((resolve) => {
      this.parked.set(request, resolve);
      for (const watcher of this.watchers) watcher();
    });
  }

  /** The parked requests, oldest first. */
  list(): HeldRequest[] {
    return [...this.parked.keys()];
  }

  /** Waits until at least so many requests are parked, or the time is over; answers those that are. */
  async wait(atLeast: number, timeoutMs: number): Promise<HeldRequest[]> {
    if (this.parked.size < atLeast && timeoutMs > 0) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.watchers.delete(watcher);
          resolve();
        };
        const watcher = (): void => {
          if (this.parked.size >= atLeast) done();
        };
        const timer = setTimeout(done, timeoutMs);
        this.watchers.add(watcher);
      });
    }
    return this.list();
  }

  /**
   * Lets parked requests go on.
   * @param seq - Only the one with this log position; without it, all.
   */
  release(how: Release, seq?: number): HeldRequest[] {
    const released = this.list().filter((request) => seq === undefined || request.seq === seq);
    for (const request of released) {
      const resolve = this.parked.get(request);
      this.parked.delete(request);
      resolve?.(how);
    }
    return released;
  }
}
