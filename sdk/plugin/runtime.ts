// What the generated files of this folder have in common.
import * as pulumi from "@pulumi/pulumi";
// Pulumi's SDK writes secrets into debug messages.
import "../nodejs/run/hide-debug-values";
import { judgeConfig } from "../nodejs/run/judge-config";
import { PACKAGE } from "./package";

/** The options of a function whose arguments can be outputs. Older versions of Pulumi's SDK have no type for them. */
export type InvokeOutputOptions = pulumi.InvokeOptions & {
  /** Resources that must exist before the call. */
  readonly dependsOn?: pulumi.Input<pulumi.Resource> | pulumi.Input<pulumi.Input<pulumi.Resource>[]>;
};

/** The members of a type, each of which can be an output of a resource, and each item or member of one, too. */
export type AsInputs<Plain> = Plain extends readonly (infer Item)[]
  ? pulumi.Input<Item>[]
  : { readonly [Name in keyof Plain]: pulumi.Input<AsInputs<Plain[Name]>> };

/** The version of the plugin, as an option. Each resource and each call has it. */
function pluginOptions() {
  // Warns once per run about secrets in plain text. The provider checks all else, in its own process.
  judgeConfig({ secrets: true });
  const { name: _, ...plugin } = PACKAGE;
  return plugin;
}

/** The options of a resource, with the version of the plugin, and with the outputs that are secret. */
export function optionsOf(
  options: pulumi.CustomResourceOptions,
  secrets: readonly string[] = [],
): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions({ ...pluginOptions(), additionalSecretOutputs: [...secrets] }, options);
}

/** The options of a function, with the version of the plugin. */
export function invokeOptionsOf(options: InvokeOutputOptions): InvokeOutputOptions {
  return { ...pluginOptions(), ...options };
}

/**
 * What a resource is registered with: its inputs, and `undefined` for its outputs, from which Pulumi makes properties. A
 * resource that is read by its id has no inputs.
 * @param outputs - The names of the outputs, with a space between two.
 */
export function inputsOf(
  outputs: string,
  args: object,
  { id }: Pick<pulumi.CustomResourceOptions, "id">,
): pulumi.Inputs {
  const unknown = Object.fromEntries(outputs.split(" ").map((name) => [name, undefined]));
  return id === undefined ? { ...unknown, ...args } : unknown;
}

/** An input that the state and the messages of Pulumi never show. */
export function secretOf(value: pulumi.Input<unknown>): pulumi.Output<unknown> | undefined {
  return value === undefined ? undefined : pulumi.secret(value);
}

/** A setting of a provider that is no text, as JSON. */
export function jsonOf(value: pulumi.Input<unknown>): pulumi.Input<string> | undefined {
  return value === undefined ? undefined : pulumi.output(value).apply((known) => JSON.stringify(known));
}

/** Whether a value is a resource of a type, also if another copy of this package created it. */
export function isOfType(value: unknown, token: string): boolean {
  const { __pulumiType } = (value ?? {}) as { readonly __pulumiType?: unknown };
  return __pulumiType === token;
}

/** Creates the object for a resource that a component returns. */
type Construct<Resource extends pulumi.Resource> = (name: string, urn: pulumi.URN) => Resource;

const constructors = new Map<string, Construct<pulumi.CustomResource>>();

/** Lets Pulumi turn a reference to a resource into its class. */
export function register(token: string, construct: Construct<pulumi.CustomResource>): void {
  constructors.set(token, construct);
}

/** Lets Pulumi turn a reference to a provider into its class. */
export function registerProvider(construct: Construct<pulumi.ProviderResource>): void {
  const { name: plugin, version } = PACKAGE;
  pulumi.runtime.registerResourcePackage(plugin, {
    version,
    constructProvider: (name, _, urn) => construct(name, urn),
  });
}

pulumi.runtime.registerResourceModule(PACKAGE.name, "index", {
  version: PACKAGE.version,
  construct(name, type, urn) {
    const construct = constructors.get(type);
    if (construct === undefined) throw new TypeError(`keyplane has no resource type ${type}`);
    return construct(name, urn);
  },
});
