import * as pulumi from "@pulumi/pulumi";
import { Ledger, type LedgerKeys } from "./ledger";
import { Owner } from "./owner";
import { knownValue, settled } from "./pulumi-internals";
import type { ScopeArgs } from "./scope";

/** What the ledger must know about a key once it has been created. */
export interface Holdings {
  /** Ids of the keys that the resource holds, or must still revoke. `undefined` if a preview does not know an id. */
  readonly ids: readonly (string | undefined)[];
  /** Ids of compromised keys, to revoke once everything in the stack has their successors. */
  readonly compromised: readonly string[];
  /** Previous keys of a rotating key, by id: their successor, periods, and whether they are retired. */
  readonly previous: Readonly<Record<string, object>>;
  /** Names that do not show who created the key, by the key's id. */
  readonly untagged: Readonly<Record<string, string>>;
}

type Reach = Readonly<Record<"incomplete" | "unseen", boolean>>;

/** The keys of one program run in one scope, with the owner and the ledger that they share. */
export class KeyRegistry {
  /** Each key depends on it. */
  readonly owner: Owner;
  /**
   * The owner's identity, an input of each key. A promise: with an output, the state would also name the owner as a
   * dependency of this property, in each key.
   */
  readonly identity: Promise<string>;
  readonly #holdings: Promise<Holdings>[] = [];

  /** @param firstKey - The first key that the program declares in the scope, for messages. */
  constructor(
    readonly scope: ScopeArgs,
    firstKey: string,
  ) {
    this.owner = new Owner(scope, firstKey);
    this.identity = settled(this.owner.identity);
    // The owner reports the error.
    this.identity.catch(() => {});
  }

  /** Tells the ledger about a key, so that it does not take the key for an orphan. */
  enlist(holdings: Promise<Holdings>): void {
    holdings.catch(() => {});
    this.#holdings.push(holdings);
  }

  /**
   * Declares the ledger, which must be the last resource of a run. Resolves when the engine has answered.
   * @param reach - Whether something was not deployed that the program registered, or that it cannot see.
   */
  declareLedger(reach: Reach): Promise<unknown> {
    const keys = this.#keysForLedger(reach);
    const ledger = new Ledger(this.scope, this.owner.identity, keys);
    // The resource that failed reports the error.
    keys.catch(() => {});
    return knownValue(ledger.urn);
  }

  async #keysForLedger({ incomplete, unseen }: Reach): Promise<LedgerKeys> {
    const all = await Promise.all(this.#holdings);
    const ids = all.flatMap((each) => each.ids);
    const mapOf = <T>(of: (each: Holdings) => Readonly<Record<string, T>>) => {
      const entries = all.flatMap((each) => Object.entries(of(each)));
      return entries.length === 0 ? undefined : Object.fromEntries(entries);
    };
    // The preview then shows an update: a key that it does not know yet will be new. What it replaces or what name it has
    // is not known either, and a plan must allow for it.
    const isOpen = pulumi.runtime.isDryRun() && ids.includes(undefined);
    const known = <T>(value: T): T => (isOpen ? (pulumi.unknown as never) : value);
    return {
      owned: known(sorted(ids)),
      compromised: known(sorted(all.flatMap((each) => each.compromised))),
      previous: known(mapOf((each) => each.previous)),
      untagged: known(mapOf((each) => each.untagged)),
      incomplete: incomplete || undefined,
      unseen: unseen || undefined,
    };
  }
}

/** Sorted and unique, so that moving a line of the program changes nothing. */
function sorted(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values)].filter((value) => value !== undefined).sort();
}
