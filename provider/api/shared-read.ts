import type { Clock } from "../http";
import { raceSignal } from "./race-signal";

/** Longest age, in milliseconds, of a read that is young. */
const YOUNG_MS = 30_000;

/**
 * Which reads will do: only one that is sent from now on; also a young one sent after the last write; or any one sent
 * after the last write, however old.
 */
export type Freshness = "fresh" | "young" | "any";

interface FlightState {
  /** Position among all events when it was first sent; undefined before that. */
  sentAt: number | undefined;
  waiting: number;
  readonly abort: AbortController;
}

/** One read under way, with all who wait for it. */
interface Flight<T> extends FlightState {
  readonly promise: Promise<T>;
}

/**
 * Shares one read among all who ask at the same time, without ever telling anybody about a moment before they asked or
 * before the last write of this process: such a read could not prove that something is absent. At most one is under way
 * and one queued behind it, however many ask.
 */
export class SharedRead<T> {
  #events = 0;
  #lastWrite = 0;
  #running: Flight<T> | undefined;
  #queued: Flight<T> | undefined;
  #finished: { readonly value: T; readonly sentAt: number; readonly time: number } | undefined;

  /** @param read sends the request, calling `onSend` when it does */
  constructor(
    private readonly clock: Clock,
    private readonly read: (onSend: () => void, signal: AbortSignal) => Promise<T>,
  ) {}

  /** Notes that this process has begun or ended a change of what is read. */
  wrote(): void {
    this.#lastWrite = ++this.#events;
  }

  /** A read that is as fresh as that: one that is finished or under way, else a new one. */
  get(freshness: Freshness, signal: AbortSignal | undefined): Promise<T> {
    const finished = this.#finished;
    if (finished !== undefined && finished.sentAt > this.#lastWrite) {
      if (freshness === "any" || (freshness === "young" && this.#isYoung(finished)))
        return Promise.resolve(finished.value);
    }
    return this.#join(this.#flight(freshness === "fresh"), signal);
  }

  /** A read that may know nothing of this process's own changes, and so proves nothing absent: any recent one. */
  recent(signal: AbortSignal | undefined): Promise<T> {
    const finished = this.#finished;
    if (finished !== undefined && this.#isYoung(finished)) return Promise.resolve(finished.value);
    const underWay = [this.#running, this.#queued].find((flight) => flight?.abort.signal.aborted === false);
    return this.#join(underWay ?? this.#flight(false), signal);
  }

  #isYoung({ time }: { readonly time: number }): boolean {
    return this.clock.monotonic() - time <= YOUNG_MS;
  }

  #flight(fresh: boolean): Flight<T> {
    const running = this.#running;
    if (running !== undefined && !running.abort.signal.aborted) {
      if (running.sentAt === undefined) return running;
      if (!fresh && running.sentAt > this.#lastWrite) return running;
    }
    if (this.#queued === undefined || this.#queued.abort.signal.aborted) this.#queued = this.#start(running);
    return this.#queued;
  }

  #start(before: Flight<T> | undefined): Flight<T> {
    const state: FlightState = { sentAt: undefined, waiting: 0, abort: new AbortController() };
    const flight: Flight<T> = Object.assign(state, { promise: this.#run(state, before) });
    // Those who wait are told by their own promises; when nobody does any more, nobody has to hear of a failure.
    flight.promise.catch(() => {});
    return flight;
  }

  async #run(flight: FlightState, before: Flight<T> | undefined): Promise<T> {
    await before?.promise.catch(() => {});
    // The flight is complete by now: whoever asked in the same moment has joined it.
    if (this.#queued === flight) this.#queued = undefined;
    this.#running = flight as Flight<T>;
    try {
      const value = await this.read(() => {
        flight.sentAt ??= ++this.#events;
      }, flight.abort.signal);
      const sentAt = flight.sentAt ?? 0;
      this.#finished = { value, sentAt, time: this.clock.monotonic() };
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
      // The request ends with the last who wants its answer.
      if (--flight.waiting === 0) flight.abort.abort();
    }
  }
}
