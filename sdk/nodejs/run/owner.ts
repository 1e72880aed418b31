import * as pulumi from "@pulumi/pulumi";
import { prepareInputs, typeToken } from "../shim";
import { type ScopeArgs, scopeName } from "./scope";
import { pauseTraces } from "./traces";

/** The owner of a stack's keys in one scope, declared by the first key in it. The state stores its random id. */
export class Owner extends pulumi.CustomResource {
  /** The owner's id and the mark of the account of its keys. */
  declare readonly identity: pulumi.Output<string>;

  /** @param firstKey - The key that declares it, which errors name instead of it: no program declares an owner. */
  constructor(scope: ScopeArgs, firstKey: string) {
    const name = scopeName(scope);
    const args = {
      ...scope,
      project: pulumi.getProject(),
      stack: pulumi.getStack(),
      organization: organization(),
      firstKey,
    };
    const inputs = prepareInputs("Owner", name, { outputs: ["identity"], args });
    const resumeTraces = pauseTraces();
    try {
      // A preview with `--diff` shows `(hidden)` for what each run changes.
      super(typeToken("Owner"), name, inputs, { hideDiffs: ["runs"] });
    } finally {
      resumeTraces();
    }
  }
}

/** Two organizations of one backend can have the same project and stack. Other backends have one organization only. */
function organization(): string | undefined {
  try {
    return pulumi.getOrganization();
  } catch {
    // A unit test with mocks does not have to set an organization.
    return undefined;
  }
}
