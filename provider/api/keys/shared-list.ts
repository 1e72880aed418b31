import type { Clock } from "../../http";
import { raceSignal } from "../../http/abort-signals";

/** Maximum age of a recent read, in milliseconds. */
const RECENT_MS = 30_000;

/** One read in progress, shared by the callers that wait for it. */
class Flight<T> {
  /** Number of the event at which it was first sent; undefined before that. */
  sentEvent: number | undefined;
  waiting = 0;
  readonly abort = new AbortController();
  readonly promise: Promise<T>;

  constructor(run: (flight: Flight<T>) => Promise<T>) {
    this.promise = run(this);
    // Callers get the failure from their own promises. Without callers, the rejection would be unhandled.
    this.promise.catch(() => {});
  }
}

/**
 * Shares one read among concurrent callers. A caller gets a read that was sent after this process last created
 * something, because an older one could not prove that something is absent. At most one read is in progress and one is
 * queued, however many callers there are.
 */
export class SharedList<T> {
  #events = 0;
  #lastCreation = 0;
  #running: Flight<T> | undefined;
  #queued: Flight<T> | undefined;
  #finished: { readonly value: T; readonly sentEvent: number; readonly time: number } | undefined;

  /** @param read sends the request and calls `onSend` when it does */
  constructor(
    private readonly clock: Clock,
    private readonly read: (onSend: () => void, signal: AbortSignal) => Promise<T>,
  ) {}

  /** Records that this process has begun or ended a creation. */
  rememberCreation(): void {
    this.#lastCreation = ++this.#events;
  }

  /** The result of the last read, however old; undefined before the first one. */
  get latest(): T | undefined {
    return this.#finished?.value;
  }

  /** A read sent since the last creation: a finished one, one in progress, or else a new one. */
  get(signal?: AbortSignal): Promise<T> {
    const finished = this.#finished;
    if (finished !== undefined && finished.sentEvent > this.#lastCreation) return Promise.resolve(finished.value);
    return this.#join(this.#flight("any"), signal);
  }

  /** A new read, sent after this call. */
  fresh(signal: AbortSignal | undefined): Promise<T> {
    return this.#join(this.#flight("fresh"), signal);
  }

  /** A recent read. It may be older than the last creation, so it does not prove that something is absent. */
  recent(signal: AbortSignal | undefined): Promise<T> {
    const finished = this.#finished;
    if (finished !== undefined && this.clock.monotonic() - finished.time <= RECENT_MS) {
      return Promise.resolve(finished.value);
    }
    const underWay = [this.#running, this.#queued].find((flight) => flight?.abort.signal.aborted === false);
    return this.#join(underWay ?? this.#flight("any"), signal);
  }

  #flight(age: "fresh" | "any"): Flight<T> {
    const running = this.#running;
    if (running !== undefined && !running.abort.signal.aborted) {
      if (running.sentEvent === undefined) return running;
      if (age === "any" && running.sentEvent > this.#lastCreation) return running;
    }
    if (this.#queued === undefined || this.#queued.abort.signal.aborted) {
      this.#queued = new Flight((flight) => this.#run(flight, running));
    }
    return this.#queued;
  }

  async #run(flight: Flight<T>, before: Flight<T> | undefined): Promise<T> {
    await before?.promise.catch(() => {});
    // Nobody can join any more: callers of the same moment have joined by now.
    if (this.#queued === flight) this.#queued = undefined;
    this.#running = flight;
    try {
      const value = await this.read(() => {
        flight.sentEvent ??= ++this.#events;
      }, flight.abort.signal);
      const sentEvent = flight.sentEvent ?? 0;
      this.#finished = { value, sentEvent, time: this.clock.monotonic() };
      return value;
    } finally {
      if (this.#running === flight) this.#running = undefined;
    }
  }

  async #join(flight: Flight<T>, signal: AbortSignal | undefined): Promise<T> {
    flight.waiting++;
    try {
      return await (signal === undefined ? flight.promise : raceSignal(flight.promise, signal));
    } finally {
      // The request is aborted when its last caller leaves.
      if (--flight.waiting === 0) flight.abort.abort();
    }
  }
}
