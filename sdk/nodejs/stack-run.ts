import * as pulumi from "@pulumi/pulumi";
import { Ledger } from "./ledger";
import { Owner } from "./owner";
import { whenProgramHasEnded } from "./program-end";
import { settled } from "./settled";

/** What a key contributes to the ledger once it is made. */
export interface Holdings {
  /** Ids of the keys that it holds, or has still to revoke. */
  readonly ids: pulumi.Output<readonly (string | undefined)[]>;
  /** Names of its lost requests. */
  readonly lostNames: pulumi.Output<readonly string[]>;
  /** Ids of keys that must stop working, or have, once everything in the stack has their successors. @default none */
  readonly pendingRevocations?: pulumi.Output<readonly string[]>;
}

/** The keys of one program run, with the owner and the ledger that they share. */
export class StackRun {
  static readonly #runs = new WeakMap<object, StackRun>();
  static readonly #outsideOfStacks = {};

  readonly owner = new Owner();
  readonly #holdings: Holdings[] = [];
  #ended = false;

  /** The run that is under way; inline programs of the Automation API can run several in one process. */
  static get current(): StackRun {
    const stack = pulumi.runtime.getStackResource() ?? StackRun.#outsideOfStacks;
    let run = StackRun.#runs.get(stack);
    if (run === undefined) {
      run = new StackRun();
      StackRun.#runs.set(stack, run);
    }
    return run;
  }

  constructor() {
    const held = pulumi.output(this.#allHoldings());
    new Ledger({
      owner: this.owner.id,
      owned: held.apply(({ ids }) => ids),
      lostNames: withoutDependencies(held.apply(({ lostNames }) => lostNames)),
      pendingRevocations: withoutDependencies(held.apply(({ pendingRevocations }) => pendingRevocations)),
    });
  }

  /** Tells the ledger of a key, which must not be taken for one that was left behind. */
  enlist(kind: string, name: string, holdings: Holdings): void {
    if (this.#ended) {
      throw new Error(
        `${kind} ${JSON.stringify(name)} was declared after the program had ended. Declare keys before the program's ` +
          "last await, so that no key is mistaken for one that an interrupted run has left behind",
      );
    }
    this.#holdings.push(holdings);
  }

  /** Resolves only when nothing else is left to do in the program, which makes the ledger the last of its resources. */
  async #allHoldings(): Promise<pulumi.Output<Record<keyof Holdings, string[]>>> {
    await whenProgramHasEnded();
    this.#ended = true;
    const ids = pulumi.all(this.#holdings.map((holding) => holding.ids));
    const lostNames = pulumi.all(this.#holdings.map((holding) => holding.lostNames));
    const doomed = pulumi.all(this.#holdings.map((holding) => holding.pendingRevocations ?? []));
    return pulumi.all([ids, lostNames, doomed]).apply(([idLists, nameLists, doomedLists]) => ({
      ids: sorted(idLists.flat()),
      lostNames: sorted(nameLists.flat()),
      pendingRevocations: sorted(doomedLists.flat()),
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
