import type { Account } from "../api/account";
import { AbortedError } from "../errors";
import type { Scope } from "../keys/scope";

/** Maximum time to finish what is under way when the engine is gone, in milliseconds. */
const FINISH_MS = 30_000;

interface RunningVerb {
  readonly scope: Scope;
  /** Shows in its row what the account waits for. */
  readonly progress: (text: string) => void;
  readonly created: readonly (() => Promise<unknown>)[];
}

/**
 * Ends the work of this process early: on Ctrl+C, or when the engine is gone. The server of the plugin hears of Ctrl+C
 * (`plugin/server.ts`), and so does `onCancel` of the dynamic provider (`dynamic/pulumi-internals.ts`).
 */
export class Cancellation {
  #cancelled: AbortedError | undefined;
  #orphaned: AbortedError | undefined;
  /** The verbs that are under way. */
  readonly running = new Set<RunningVerb>();
  readonly #creations = new Set<Promise<unknown>>();

  constructor(private readonly accounts: () => Iterable<Account>) {}

  /** Registers a running verb. Returns a function that ends this. */
  began(verb: RunningVerb): () => void {
    this.running.add(verb);
    return () => this.running.delete(verb);
  }

  /** Runs the creation of a key, so that it is finished if the engine dies meanwhile. */
  creating<T>(creation: Promise<T>): Promise<T> {
    this.#creations.add(creation);
    return creation.finally(() => this.#creations.delete(creation));
  }

  /** Ends all waits. Changes that were already sent complete, and the engine records them. */
  cancel(): void {
    this.#cancelled ??= new AbortedError("the run was cancelled");
    for (const account of this.accounts()) account.abort(this.#cancelled);
  }

  /**
   * Nothing records a key that is created from now on. So no creation begins, and those under way are finished and their
   * keys revoked: the engine did not get them, so no state has them.
   */
  async endWithoutEngine(): Promise<void> {
    this.#orphaned = new AbortedError("the engine is gone");
    for (const account of this.accounts()) account.stopCreating(this.#orphaned);
    // A verb can end while the creations are awaited. Its answer reaches nobody.
    const verbs = [...this.running];
    const deadline = new Promise((resolve) => setTimeout(resolve, FINISH_MS).unref());
    await Promise.race([Promise.allSettled(this.#creations), deadline]);
    const toRevoke = verbs.flatMap(({ created }) => created.map((revoke) => revoke()));
    await Promise.race([Promise.allSettled(toRevoke), deadline]);
  }

  /** Ends the work of an account that is used for the first time after that. */
  applyTo(account: Account): void {
    if (this.#cancelled !== undefined) account.abort(this.#cancelled);
    if (this.#orphaned !== undefined) account.stopCreating(this.#orphaned);
  }
}
