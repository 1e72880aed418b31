import { isObject, isSecret, jsonIn, type Members, membersOf, textOf } from "../members";

export const HIDDEN = Symbol("hidden");

/** A resource in a state, with the fields used here. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** Empty if the resource has no id. */
  readonly id: string;
  /** The resource's provider: its URN, `::`, its id. Empty if the resource has none. */
  readonly provider: string;
  /** Whether it was replaced, and is only left to be deleted or to be created again. */
  readonly replaced: boolean;
  /** Whether Pulumi drops it from the state without deleting it: because of `retainOnDelete`, or because it was only read. */
  readonly retained: boolean;
  readonly inputs: Members;
  readonly outputs: Members;
  /** Names of the inputs and outputs that the state marks as secrets, also if it contains them in plain text. */
  readonly secrets: ReadonlySet<string>;
  /** URNs of the resources whose outputs its inputs contain. */
  readonly sources: ReadonlySet<string>;
  /** ISO 8601 time of its creation, if the state contains it. */
  readonly created: string | undefined;
}

/** An operation that was begun and has not ended. The engine saves it before it calls the provider. */
interface PendingStep {
  /** What the engine does: `creating`, `updating`, `deleting`, `reading` or `importing`. */
  readonly type: string;
  /** The resource with its checked inputs. A `deleting` one is as it was saved. */
  readonly resource: StateResource;
}

export interface Deployment {
  readonly resources: readonly StateResource[];
  /** ISO 8601 time, if the state contains it. */
  readonly savedAt: string | undefined;
  /** What was under way when the state was saved. A later run does not remove the creations of a killed run. */
  readonly pending: readonly PendingStep[];
}

/**
 * Reads the output of `pulumi stack export`, or a checkpoint file of a backend. Throws an `Error` that never quotes the
 * text, because it may contain secrets.
 */
export function readDeployment(text: string): Deployment {
  const whole = jsonIn(text);
  if (whole === undefined) throw new Error(text.trim() === "" ? "is empty" : "is not JSON");
  if (!isObject(whole)) throw new Error("is not a JSON object");
  const deployment = [whole.deployment, membersOf(whole.checkpoint).latest].find(isObject);
  // A stack that was never deployed has an empty checkpoint.
  if (deployment === undefined && !isObject(whole.checkpoint)) {
    throw new Error("is neither the output of `pulumi stack export` nor a checkpoint file");
  }
  const { resources, manifest, pending_operations: pending } = deployment ?? {};
  if (resources !== undefined && resources !== null && !Array.isArray(resources)) {
    throw new Error("has resources that are not a list");
  }
  const steps = (Array.isArray(pending) ? pending : []).filter(isObject);
  return {
    resources: (resources ?? []).map(readResource),
    savedAt: textOf(membersOf(manifest).time),
    pending: steps.map(({ type, resource }) => ({ type: String(type), resource: readResource(resource) })),
  };
}

function readResource(value: unknown): StateResource {
  if (!isObject(value) || typeof value.urn !== "string" || typeof value.type !== "string") {
    throw new Error("has a resource without a URN or a type");
  }
  const { urn, type, id, inputs, outputs, dependencies, propertyDependencies } = value;
  const sources = isObject(propertyDependencies) ? Object.values(propertyDependencies).flat() : dependencies;
  return {
    urn,
    type,
    id: textOf(id) ?? "",
    provider: textOf(value.provider) ?? "",
    replaced: value.delete === true || value.pendingReplacement === true,
    retained: value.retainOnDelete === true || value.external === true,
    inputs: openedIn(inputs),
    outputs: openedIn(outputs),
    secrets: new Set([...secretsIn(inputs), ...secretsIn(outputs)]),
    sources: new Set((Array.isArray(sources) ? sources : []).map(String)),
    created: textOf(value.created),
  };
}

function openedIn(values: unknown): Members {
  return Object.fromEntries(Object.entries(membersOf(values)).map(([name, value]) => [name, opened(value)]));
}

/** The names of members with a secret: encrypted, or in a plaintext envelope. */
function secretsIn(values: unknown): readonly string[] {
  return Object.entries(membersOf(values)).flatMap(([name, value]) => ([value].flat().some(isSecret) ? [name] : []));
}

/** A state value in plain text, including one in a plaintext envelope, or `HIDDEN`. */
function opened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(opened);
  if (!isSecret(value)) return value;
  const plain = jsonIn(textOf(value.plaintext) ?? "");
  return plain === undefined ? HIDDEN : plain;
}
