/** A resource in a state, with the fields used here. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** Empty if the resource has no id. */
  readonly id: string;
  /** True if the resource was replaced and the next run deletes it. */
  readonly delete: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** A state in any storage format. */
export interface Deployment {
  readonly resources: readonly StateResource[];
  /** ISO 8601 time, if the state contains it. */
  readonly savedAt: string | undefined;
  /** Number of operations in progress. */
  readonly underWay: number;
}

/**
 * Reads the output of `pulumi stack export`, or a checkpoint file of a backend. Throws an `Error` that never quotes the
 * text, because it may contain secrets.
 */
export function readDeployment(text: string): Deployment {
  const whole = parse(text);
  const deployment = isObject(whole.deployment)
    ? whole.deployment
    : isObject(whole.checkpoint) && isObject(whole.checkpoint.latest)
      ? whole.checkpoint.latest
      : undefined;
  // A stack that was never deployed has an empty checkpoint.
  if (deployment === undefined && !isObject(whole.checkpoint)) {
    throw new Error("is neither the output of `pulumi stack export` nor a checkpoint file");
  }
  const { resources, manifest, pending_operations: pending } = deployment ?? {};
  if (resources !== undefined && resources !== null && !Array.isArray(resources)) {
    throw new Error("has resources that are not a list");
  }
  return {
    resources: (resources ?? []).map(readResource),
    savedAt: isObject(manifest) && typeof manifest.time === "string" ? manifest.time : undefined,
    underWay: Array.isArray(pending) ? pending.length : 0,
  };
}

function readResource(value: unknown): StateResource {
  if (!isObject(value) || typeof value.urn !== "string" || typeof value.type !== "string") {
    throw new Error("has a resource without a URN or a type");
  }
  const { urn, type, id, inputs, outputs } = value;
  return {
    urn,
    type,
    id: typeof id === "string" ? id : "",
    delete: value.delete === true,
    inputs: isObject(inputs) ? inputs : {},
    outputs: isObject(outputs) ? outputs : {},
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(text.trim() === "" ? "is empty" : "is not JSON");
  }
  if (!isObject(value)) throw new Error("is not a JSON object");
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
