import * as pulumi from "@pulumi/pulumi";
import { prepareInputs, typeToken } from "../shim";
import { type ScopeArgs, scopeName } from "./scope";
import { pauseTraces } from "./traces";

const PARTS = ["owned", "compromised", "previous", "untagged", "incomplete", "unseen"] as const;

/** What the ledger must know of all keys; see the provider's resource type of the same name. */
export type LedgerKeys = Readonly<Record<(typeof PARTS)[number], unknown>>;

/** Revokes what interrupted runs left behind. Each scope has one; it is the last resource of a run. */
export class Ledger extends pulumi.CustomResource {
  constructor(scope: ScopeArgs, owner: pulumi.Output<string>, keys: Promise<LedgerKeys>) {
    const name = scopeName(scope);
    // Promises, not outputs: the ledger must not depend on keys. Otherwise no key could be deleted, targeted or removed
    // from the state on its own.
    const parts = Object.fromEntries(PARTS.map((part) => [part, keys.then((all) => all[part])]));
    const inputs = prepareInputs("Ledger", name, { args: { owner, ...parts, ...scope } });
    const resumeTraces = pauseTraces();
    try {
      super(typeToken("Ledger"), name, inputs);
    } finally {
      resumeTraces();
    }
  }
}
