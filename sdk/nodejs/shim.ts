import { randomBytes } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { base32 } from "../../provider/base32";
import { COMMON_OUTPUTS, secretInputs } from "../../provider/outputs";
import { DYNAMIC } from "../../provider/type-tokens";
import "./run/hide-debug-values";
import { mustFindProvider } from "./provider-here";
import { programError } from "./run/program-error";
import { isMocked } from "./run/pulumi-internals";

/** The kinds of resource; each name is part of URNs in users' states. */
export type KindName = "ApiKey" | "RotatingApiKey" | "ProjectReady";

/** Why a key is neither imported nor looked up, and what to do. */
const NO_SECRET =
  "the service shows a key's secret only once. Remove the option. To take over a key whose secret you have, use adopt of a " +
  "RotatingApiKey; to read what is known about a key, use getApiKey";
const NOTHING_TO_IMPORT = "it only waits. Remove the option. To read what is known about a project, use getProject";

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

/**
 * The inputs to register for a resource. Outputs that the provider sets are seeded, so that they exist on the resource,
 * and `resourceUrn` lets the provider show progress in the resource's row.
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

/** Kinds of values that Pulumi records without their content. */
const LOST = /^(?:BigInt|Date|Map|RegExp|Set|Symbol|URL|\w*Function)$/;

/** What is wrong with a trigger whose changes would not show. What only the run knows is not looked at. */
function valueLostIn(value: unknown, path: string): string | undefined {
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  if (LOST.test(kind)) {
    return (
      `${path} is a ${kind}, which Pulumi records without its content, so that no change of it would show. Pass a text ` +
      "instead, such as toISOString() of a date"
    );
  }
  if (!isPlain(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = valueLostIn(member, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a value is an array or an object literal. Others, such as outputs, can refer to themselves. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** The inputs of a key. An absent place or recipient would make a less safe key. */
export function keyInputs(args: pulumi.Inputs): pulumi.Inputs {
  const given = NARROWING.filter((name) => args[name] !== undefined || (LIMITS.includes(name) && name in args));
  return { ...args, ...Object.fromEntries(given.map((name) => [name, notNothing(args[name])])), ...secretsIn(args) };
}

/** The names of the inputs that are secrets, because the provider does not see that. */
function secretsIn(args: pulumi.Inputs): pulumi.Inputs {
  const names = secretInputs(Object.keys(args)).filter((name) => typeof args[name] === "object" && args[name] !== null);
  if (names.length === 0) return {};
  const found = names.map(async (name) => ((await pulumi.isSecret(pulumi.output(args[name]))) ? [name] : []));
  return { __secret: Promise.all(found).then((secret) => (secret.flat().length > 0 ? secret.flat() : undefined)) };
}

/** The inputs that say where a key works, and who can read it. */
const NARROWING = ["account", "organizationId", "projectId", "sealTo"];

/** Those that a program often reads from somewhere, such as its environment, and finds nothing. */
const LIMITS = ["organizationId", "projectId"];

/**
 * From this the provider makes the suffix in a key's name, because Pulumi passes no random seed to the dynamic host. It
 * begins with the name of the stack, which the host does not have either. A preview does not know it, so that a plan
 * allows any suffix. A unit test with mocks gets none, because its snapshots must not change. Nor does a program that Pulumi
 * does not run, so that Pulumi's own error says so.
 */
function seed(): pulumi.Inputs {
  if (pulumi.runtime.getMonitor() === undefined || isMocked()) return {};
  const organization = pulumi.getOrganization();
  // A destroy has no program that would say it. Backends without organizations call theirs so.
  const known = organization === "organization" ? {} : { __organization: organization };
  if (pulumi.runtime.isDryRun()) return { ...known, __seed: pulumi.runtime.unknownValue };
  const stack = `${organization}/${pulumi.getProject()}/${pulumi.getStack()}`;
  // 12 characters.
  return { ...known, __seed: `${stack}/${base32(randomBytes(8))}` };
}

/** An input without a value as an empty text, which the provider refuses. Pulumi would drop it. */
function notNothing(input: unknown): unknown {
  const isLate = pulumi.Output.isInstance(input) || input instanceof Promise;
  return isLate ? pulumi.output(input).apply((value) => value ?? "") : (input ?? "");
}

/** Whether a value is a resource of a type, including one from another copy of this package. */
export function isOfType(value: unknown, type: KindName): boolean {
  return (
    pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === typeToken(type)
  );
}

const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
};

/**
 * The `operationTimeout` that the resource option `customTimeouts` requests, because Pulumi's dynamic host does not
 * pass the option on. An update may continue a wait of the creation, so the longer of the two times counts.
 */
function timeoutIn({ create, update }: pulumi.CustomTimeouts = {}): string | undefined {
  const times = [create, update].map((text = "") => {
    const parts = text.match(/[\d.]+|[a-zµ]+/g) ?? [];
    const counts = parts.map((unit, at) => (unit in UNITS_MS ? Number(parts[at - 1]) * (UNITS_MS[unit] ?? 0) : 0));
    return counts.reduce((sum, count) => sum + count, 0);
  });
  const seconds = Math.ceil(Math.max(...times) / 1000);
  return seconds > 0 ? `${seconds}s` : undefined;
}

/** The outputs of all kinds of key. Those of the provider's list are the ones that the plugin's users see. */
export const SEEDED_OUTPUTS = [...COMMON_OUTPUTS, "pendingRevocations", "lostNames"];

/** The options of a key: the user's own, and its secrets. */
export function keyOptions(
  options: pulumi.CustomResourceOptions | undefined,
  ...secrets: readonly string[]
): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions(options, { additionalSecretOutputs: [...secrets] });
}

/** A promise: as an output, a URN under a component depends on all children of the component, and so on itself. */
function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  // Without a parent, no output is needed, which saves time with many keys.
  if (parent === undefined) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  return new Promise((resolve) => {
    pulumi.createUrn(name, type, parent).apply(resolve);
  });
}
