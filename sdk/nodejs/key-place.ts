import * as pulumi from "@pulumi/pulumi";
import { Ledger } from "./ledger";
import { Owner } from "./owner";
import type { PlaceArgs } from "./place";
import { settled } from "./settled";

/** What a key contributes to the ledger once it is made. */
export interface Holdings {
  /** Ids of the keys that it holds, or has still to revoke. */
  readonly ids: readonly (string | undefined)[];
  /** Names of its lost requests. */
  readonly lostNames: readonly string[];
  /** Ids of keys that must stop working, or have, once everything in the stack has their successors. */
  readonly pendingRevocations: readonly string[];
}

/** The keys of one program run in one place, with the owner and the ledger that they share. */
export class KeyPlace {
  readonly owner: Owner;
  readonly #holdings: pulumi.Output<Holdings>[] = [];

  /** @param programEnd resolves only when nothing else is left to do in the program */
  constructor(place: PlaceArgs, programEnd: Promise<void>) {
    this.owner = new Owner(place);
    const held = pulumi.output(this.#allHoldings(programEnd));
    new Ledger(place, {
      owner: this.owner.id,
      owned: held.apply(({ ids }) => ids),
      lostNames: withoutDependencies(held.apply(({ lostNames }) => lostNames)),
      pendingRevocations: withoutDependencies(held.apply(({ pendingRevocations }) => pendingRevocations)),
    });
  }

  /** Tells the ledger of a key, which must not be taken for one that was left behind. */
  enlist(holdings: pulumi.Output<Holdings>): void {
    this.#holdings.push(holdings);
  }

  /** Known only at the program's end, which makes the ledger the last of its resources. */
  async #allHoldings(programEnd: Promise<void>): Promise<pulumi.Output<Record<keyof Holdings, string[]>>> {
    await programEnd;
    return pulumi.all(this.#holdings).apply((all) => ({
      ids: sorted(all.flatMap(({ ids }) => ids)),
      lostNames: sorted(all.flatMap(({ lostNames }) => lostNames)),
      pendingRevocations: sorted(all.flatMap(({ pendingRevocations }) => pendingRevocations)),
    }));
  }
}

/**
 * The state names the keys that each input depends on: once, with `owned`, is enough. While a preview does not know
 * these values, it does not know `owned` either, which is what it shows.
 */
function withoutDependencies(output: pulumi.Output<string[]>): Promise<string[]> {
  const values = settled(output).then((known) => known ?? []);
  // A run that fails is told of by the key that failed.
  values.catch(() => {});
  return values;
}

/** In one order whatever the order of the program, so that moving a line changes nothing. */
function sorted(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values)].filter((value) => value !== undefined).sort();
}
