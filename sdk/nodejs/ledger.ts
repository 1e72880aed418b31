import * as pulumi from "@pulumi/pulumi";
import { registeredInputs, typeToken, withDefaults } from "./shim";

/** What the ledger is told; see the provider's kind of the same name. */
export interface LedgerArgs {
  readonly owner: pulumi.Input<string>;
  readonly owned: pulumi.Input<string[]>;
  readonly lostNames: pulumi.Input<string[]>;
  readonly pendingRevocations: pulumi.Input<string[]>;
}

/** Sweeps what interrupted runs have left behind; one per stack, the last resource of a run. */
export class Ledger extends pulumi.CustomResource {
  constructor(args: LedgerArgs, options?: pulumi.CustomResourceOptions) {
    const inputs = registeredInputs("Ledger", "keyplane", [], { ...args }, options);
    super(typeToken("Ledger"), "keyplane", inputs, withDefaults(options));
  }
}
