import * as pulumi from "@pulumi/pulumi";
import { registeredInputs, typeToken } from "../shim";
import { type ScopeArgs, scopeName } from "./scope";
import { pauseTraces } from "./traces";

/** The inputs of the ledger; see the provider's resource type of the same name. */
export interface LedgerArgs {
  readonly owner: pulumi.Input<string>;
  readonly owned: pulumi.Input<string[]>;
  readonly compromised: pulumi.Input<string[]>;
  readonly previous: pulumi.Input<Readonly<Record<string, object>> | undefined>;
  readonly untagged: pulumi.Input<Readonly<Record<string, string>> | undefined>;
  readonly incomplete: pulumi.Input<boolean | undefined>;
}

/** Revokes what interrupted runs left behind. Each scope has one; it is the last resource of a run. */
export class Ledger extends pulumi.CustomResource {
  constructor(scope: ScopeArgs, args: LedgerArgs) {
    const name = scopeName(scope);
    const inputs = registeredInputs("Ledger", name, { args: { ...args, ...scope } });
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("Ledger"), name, inputs);
    } finally {
      resumeTraces();
    }
  }
}
