import * as pulumi from "@pulumi/pulumi";
import "./run/hide-debug-values";
import { timeoutIn } from "./custom-timeouts";
import { mustFindProvider } from "./provider-here";
import { programError } from "./run/program-error";
import { seed } from "./seed";
import { type KindName, shim, typeToken } from "./shim";
import { valueLostIn } from "./triggers";

/** Why a key is neither imported nor looked up, and what to do. */
const NO_SECRET =
  "the service shows a key's secret only once. Remove the option. To take over a key whose secret you have, use adopt of a " +
  "RotatingApiKey; to read what is known about a key, use getApiKey";
const NOTHING_TO_IMPORT = "it only waits. Remove the option. To read what is known about a project, use getProject";

/**
 * The inputs to register for a resource. Outputs that the provider sets are declared, so that they exist on the
 * resource, and `resourceUrn` lets the provider show progress in the resource's row.
 */
export function prepareInputs(
  kind: KindName,
  name: string,
  given: {
    readonly outputs: readonly string[];
    readonly args: pulumi.Inputs;
    readonly options?: pulumi.CustomResourceOptions | undefined;
  },
): pulumi.Inputs {
  const { outputs, args, options } = given;
  if (options?.import !== undefined || options?.id !== undefined) {
    const why = kind === "ProjectReady" ? NOTHING_TO_IMPORT : NO_SECRET;
    throw programError("KP-IMPORT", `${kind} ${JSON.stringify(name)}: cannot be imported or looked up, because ${why}`);
  }
  const lost = valueLostIn(args.rotationTriggers, "rotationTriggers") ?? valueLostIn(args.triggers, "triggers");
  if (lost !== undefined) throw programError("KP-INPUT", `${kind} ${JSON.stringify(name)}: ${lost}`);
  mustFindProvider();
  const operationTimeout = args.operationTimeout ?? timeoutIn(options?.customTimeouts);
  return {
    ...Object.fromEntries(outputs.map((output) => [output, undefined])),
    ...args,
    ...(operationTimeout !== undefined && { operationTimeout }),
    ...(kind !== "ProjectReady" && seed()),
    resourceUrn: urnOf(typeToken(kind), name, options?.parent),
    __provider: shim(kind),
  };
}

/** A promise: as an output, a URN under a component depends on all children of the component, and so on itself. */
function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  // Without a parent, no output is needed, which saves time with many keys.
  if (parent === undefined) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply(resolve);
  });
}
