/** A request that a rule holds. */
export interface HeldRequest {
  /** `seq` of its log entry. */
  seq: number;
  /** The HTTP method. */
  method: string;
  /** The route template. */
  route: string | null;
  /** The path as sent, below the base URL. */
  path: string;
  /** Whether the request has taken effect (`after`) or not yet (`before`). */
  phase: "before" | "after";
}

/** How a held request proceeds: it continues, or it is dropped (no response, and no effect if it had none yet). */
export type Release = "continue" | "drop";

/** Requests that rules hold until a control call releases them. */
export class Held {
  private parked = new Map<HeldRequest, (release: Release) => void>();
  private watchers = new Set<() => void>();

  /** Holds a request until it is released. */
  park(request: HeldRequest): Promise<Release> {
    return new Promise((resolve) => {
      this.parked.set(request, resolve);
      for (const watcher of this.watchers) watcher();
    });
  }

  /** Returns the held requests, oldest first. */
  list(): HeldRequest[] {
    return [...this.parked.keys()];
  }

  /** Waits until at least `atLeast` requests are held or the time is over. Returns the held requests. */
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
   * Releases held requests.
   * @param seq - Releases only the request with this log position. If omitted, releases all.
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
