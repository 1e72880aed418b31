import * as pulumi from "@pulumi/pulumi";
import { keeperName, type PlaceArgs } from "./place";
import { registeredInputs, typeToken, withDefaults } from "./shim";

/** What the ledger is told; see the provider's kind of the same name. */
export interface LedgerArgs {
  readonly owner: pulumi.Input<string>;
  readonly owned: pulumi.Input<string[]>;
  readonly lostNames: pulumi.Input<string[]>;
  readonly pendingRevocations: pulumi.Input<string[]>;
}

/** Sweeps what interrupted runs have left behind; one per stack and place, the last resources of a run. */
export class Ledger extends pulumi.CustomResource {
  constructor(place: PlaceArgs, args: LedgerArgs, options?: pulumi.CustomResourceOptions) {
    const name = keeperName(place);
    const inputs = registeredInputs("Ledger", name, [], { ...args, ...place }, options);
    super(typeToken("Ledger"), name, inputs, withDefaults(options));
  }
}
