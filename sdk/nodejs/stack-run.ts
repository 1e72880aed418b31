import * as pulumi from "@pulumi/pulumi";
import { KeyplaneError } from "../../provider/errors";
import { KeyPlace } from "./key-place";
import { keeperName, type PlaceArgs } from "./place";
import { whenProgramHasEnded } from "./program-end";

/** One program run: the places in which it declares keys. */
export class StackRun {
  static readonly #runs = new WeakMap<object, StackRun>();
  static readonly #outsideOfStacks = {};

  readonly #places = new Map<string, KeyPlace>();
  readonly #programEnd = whenProgramHasEnded().then(() => {
    this.#ended = true;
  });
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

  /** The place where a key is about to be declared; the first one there makes its owner and its ledger. */
  placeFor(kind: string, name: string, place: PlaceArgs): KeyPlace {
    if (this.#ended) {
      throw new KeyplaneError(
        "KP-DECLARED-LATE",
        `${kind} ${JSON.stringify(name)} was declared after the program had ended. Declare keys before the program's ` +
          "last await, so that no key is mistaken for one that an interrupted run has left behind",
      );
    }
    const keeper = keeperName(place);
    let keyPlace = this.#places.get(keeper);
    if (keyPlace === undefined) {
      keyPlace = new KeyPlace(place, this.#programEnd);
      this.#places.set(keeper, keyPlace);
    }
    return keyPlace;
  }
}
