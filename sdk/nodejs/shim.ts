import * as pulumi from "@pulumi/pulumi";
import { KeyplaneError } from "../../provider/errors";
import { outlivesItsStack } from "./run/watch-registrations";

/** The kinds of resource; each name is part of URNs in users' states. */
export type KindName = "ApiKey" | "RotatingApiKey" | "ProjectReady" | "Owner" | "Ledger";

/** The type under which Pulumi's own dynamic provider serves a kind. */
export function typeToken(kind: KindName): string {
  return `pulumi-nodejs:dynamic/keyplane:${kind}`;
}

/**
 * What Pulumi's dynamic host runs for a resource: a constant line instead of serialized code. So nothing can be
 * captured by accident, a state stays small, and an old one always meets the code that is installed. States keep it:
 * it must work for ever as it is.
 */
export function shim(kind: KindName): string {
  return `exports.handler=()=>require("keyplane/provider").${kind}`;
}

/**
 * The inputs of a resource as they are registered: outputs that the provider fills in are seeded, so that they exist
 * on the resource, and `resourceUrn` lets the provider show progress in the resource's row.
 */
export function registeredInputs(
  kind: KindName,
  name: string,
  outputs: readonly string[],
  args: pulumi.Inputs,
  options: pulumi.CustomResourceOptions | undefined,
): pulumi.Inputs {
  if (options?.import !== undefined || options?.id !== undefined) {
    throw new KeyplaneError(
      "KP-IMPORT",
      `${kind} ${JSON.stringify(name)}: cannot be imported or looked up, because the service shows a key's secret only ` +
        "once. Remove the option. To take over a key whose secret you have, use adopt of a RotatingApiKey; to read " +
        "what is known about a key, use getApiKey",
    );
  }
  return {
    ...Object.fromEntries(outputs.map((output) => [output, undefined])),
    ...args,
    resourceUrn: urnOf(typeToken(kind), name, options?.parent),
    __provider: shim(kind),
  };
}

/**
 * The inputs of a key. Pulumi does not tell a provider that the engine may leave a resource in place. Such a key is used
 * once, because a key that was used is never taken for one that an interrupted run left behind.
 */
export function keyInputs(
  args: pulumi.Inputs,
  owner: pulumi.Output<string>,
  options: pulumi.CustomResourceOptions | undefined,
): pulumi.Inputs {
  const retained = outlivesItsStack(options);
  return { ...args, ...(retained !== undefined && { retained }), owner };
}

/** The options of every resource: the shim never shows in a preview, and secrets are marked besides the user's own. */
export function withDefaults(
  options: pulumi.CustomResourceOptions | undefined,
  additionalSecretOutputs: string[] = [],
): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions(options, { additionalSecretOutputs, hideDiffs: ["__provider"] });
}

/** A URN under a component depends on it, and so on all its children: waiting for oneself would never end. */
function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  // Without a parent, each of many keys is spared an output.
  if (parent === undefined) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply(resolve);
  });
}

/**
 * Pauses the taking of stack traces; the function that it answers ends the pause. Pulumi takes one for each of four
 * promises of each property of a resource, to show where one that is never kept was made. Mapped to the program's
 * sources, they took more time than all else in the registration of a key. Not in a base class, whose frame would be
 * taken for the program's: where a resource was declared is found in spite of the pause.
 */
export function pauseTraces(): () => void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}
