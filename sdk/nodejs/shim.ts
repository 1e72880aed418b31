import * as pulumi from "@pulumi/pulumi";
import { DYNAMIC } from "../../provider/type-tokens";

/** The kinds of resource; each name is part of URNs in users' states. */
export type KindName = "ApiKey" | "RotatingApiKey" | "ProjectReady";

/** The type token of a kind in Pulumi's own dynamic provider. */
export function typeToken(kind: KindName): string {
  return `${DYNAMIC}${kind}`;
}

/**
 * The code that Pulumi's dynamic host runs for a resource: a constant line instead of serialized code. So nothing is
 * captured by accident, a state stays small, and an old state runs the code that is installed. States keep this line:
 * it must always work as it is.
 */
export function shim(kind: KindName): string {
  return `exports.handler=()=>require("keyplane/provider").${kind}`;
}

/** Whether a value is a resource of a type, including one from another copy of this package. */
export function isOfType(value: unknown, type: KindName): boolean {
  return (
    pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === typeToken(type)
  );
}
