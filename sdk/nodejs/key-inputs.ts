import * as pulumi from "@pulumi/pulumi";
import { COMMON_OUTPUTS, secretInputs } from "../../provider/outputs";

/** The outputs of all kinds of key. Those of the provider's list are the ones that the plugin's users see. */
export const DECLARED_OUTPUTS = [...COMMON_OUTPUTS, "pendingRevocations", "lostNames"];

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

/** An input without a value as an empty text, which the provider refuses. Pulumi would drop it. */
function notNothing(input: unknown): unknown {
  const isLate = pulumi.Output.isInstance(input) || input instanceof Promise;
  return isLate ? pulumi.output(input).apply((value) => value ?? "") : (input ?? "");
}

/** The options of a key: the user's own, and its secrets. */
export function keyOptions(
  options: pulumi.CustomResourceOptions | undefined,
  ...secrets: readonly string[]
): pulumi.CustomResourceOptions {
  return pulumi.mergeOptions(options, { additionalSecretOutputs: [...secrets] });
}
