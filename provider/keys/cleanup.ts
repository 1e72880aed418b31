import type { Cleanup, LostRequests } from "./key-state";

/**
 * What the attempts of one creation leave to clean up. It is written down step by step, because each step can fail, and what
 * came before must be recorded then.
 */
export class CleanupSoFar {
  readonly #before: Cleanup;
  #attempts: number;
  #lost: LostRequests;
  #pendingRevocations: readonly string[];
  #isFreed = false;

  /** @param before - What earlier creations of the resource have left. */
  constructor(before: Cleanup) {
    this.#before = before;
    this.#attempts = before.attempts;
    this.#lost = before.lost;
    this.#pendingRevocations = before.pendingRevocations;
  }

  get soFar(): Cleanup {
    return { attempts: this.#attempts, lost: this.#lost, pendingRevocations: this.#pendingRevocations };
  }

  /** Whether the state must be recorded, although there is no key. */
  get isNew(): boolean {
    const { lost, pendingRevocations } = this.#before;
    return this.#isFreed || this.#lost !== lost || this.#pendingRevocations !== pendingRevocations;
  }

  /**
   * The number of the next attempt.
   * @param listed - The last attempt that a list shows: no two keys may have one name.
   */
  nextAttempt(listed: number): number {
    this.#attempts = Math.max(this.#attempts, listed) + 1;
    return this.#attempts;
  }

  /**
   * Records the name of a request whose answer was lost. Returns how to take that back, once its key is found.
   * @param now - The service's time, in milliseconds.
   */
  recordLost(name: string, now: number): () => void {
    const before = this.#lost;
    this.#lost = { lostNames: [...new Set([...before.lostNames, name])], lostAt: new Date(now).toISOString() };
    return () => {
      this.#lost = before;
    };
  }

  /** Records a key that nobody has, and that could not be revoked. */
  recordLive(id: string): void {
    this.#pendingRevocations = [...this.#pendingRevocations, id];
  }

  /** Records that the key was revoked that the new one replaces, so that the resource has none. */
  recordFreed(): void {
    this.#isFreed = true;
  }
}
