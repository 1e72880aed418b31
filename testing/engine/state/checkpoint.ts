/** Pulumi's checkpoint format, version 3: the types of a stack's state file and of `stack export`. */
import { createHash } from "node:crypto";
import type { Json, Properties } from "./property";

/** One resource in a checkpoint. Absent fields mean empty or false. */
export interface ResourceState {
  readonly urn: string;
  /** True for a resource with a provider, false for a component. */
  readonly custom: boolean;
  /** True if the resource was replaced and the next run deletes it. */
  readonly delete?: boolean;
  /** The provider's id. Absent for components. */
  readonly id?: string;
  readonly type: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
  readonly parent?: string;
  readonly protect?: boolean;
  /** True if the program reads the resource and the stack does not own it. */
  readonly external?: boolean;
  readonly dependencies?: readonly string[];
  /** Reasons why the resource was created but is not ready. */
  readonly initErrors?: readonly string[];
  /** The provider's reference: its URN, `::`, its id. */
  readonly provider?: string;
  /** URNs that each input depends on. */
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** True if the resource was deleted before its replacement, which does not exist yet. */
  readonly pendingReplacement?: boolean;
  readonly additionalSecretOutputs?: readonly string[];
  readonly aliases?: readonly string[];
  readonly customTimeouts?: CustomTimeouts;
  readonly importID?: string;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: string;
  readonly replaceWith?: readonly string[];
  /** Time of the first record, RFC 3339. */
  readonly created?: string;
  /** Time of the last state change, RFC 3339. */
  readonly modified?: string;
  readonly sourcePosition?: string;
  readonly stackTrace?: readonly { readonly sourcePosition?: string }[];
  readonly ignoreChanges?: readonly string[];
  readonly hideDiff?: readonly Json[];
  readonly replaceOnChanges?: readonly string[];
  readonly replacementTrigger?: Json;
  readonly refreshBeforeUpdate?: boolean;
  readonly viewOf?: string;
  readonly resourceHooks?: Readonly<Record<string, readonly string[]>>;
}

/** Timeouts of a resource's operations, in seconds. */
export interface CustomTimeouts {
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
  readonly read?: number;
}

/** An operation that was in progress when the state was written. */
export interface PendingOperation {
  readonly resource: ResourceState;
  readonly type: "creating" | "updating" | "deleting" | "reading" | "importing";
}

/** Which program wrote a checkpoint, and when. */
export interface Manifest {
  /** Time of the write, RFC 3339. */
  readonly time: string;
  /** SHA-256 of `version` in hex. */
  readonly magic: string;
  readonly version: string;
}

/** A stack's secrets provider, and the data needed to open it. */
export interface SecretsProviders {
  readonly type: string;
  readonly state?: { readonly salt: string };
}

/** The resources of a stack after a run. */
export interface Deployment {
  readonly manifest: Manifest;
  readonly secrets_providers?: SecretsProviders;
  /** The resources. Dependencies come before their dependents. */
  readonly resources?: readonly ResourceState[];
  readonly pending_operations?: readonly PendingOperation[];
  readonly metadata?: { readonly integrity_error?: { readonly version?: string; readonly error?: string } };
}

/** The version of the format. The CLI uses another one for what this one cannot represent. */
export const FORMAT = 3;

/** The content of a stack's state file. `latest` is absent before the first run. */
export interface Checkpoint {
  readonly version: number;
  readonly checkpoint: { readonly stack: string; readonly latest?: Deployment };
}

/** The format of `stack export`. */
export interface ExportedStack {
  readonly version: number;
  readonly deployment: Deployment;
}

/** The version that this engine writes into manifests: the version of the CLI whose behavior it reproduces. */
export const ENGINE_VERSION = "v3.260.0";

/** Creates a manifest for a state written at `time`. */
export function manifestAt(time: Date): Manifest {
  return {
    time: time.toISOString(),
    magic: createHash("sha256").update(ENGINE_VERSION).digest("hex"),
    version: ENGINE_VERSION,
  };
}

/** The fields of a resource in checkpoint order. */
const FIELDS: readonly (keyof ResourceState)[] = [
  ...(["urn", "custom", "delete", "id", "type", "inputs", "outputs", "parent", "protect", "external"] as const),
  ...(["dependencies", "initErrors", "provider", "propertyDependencies", "pendingReplacement"] as const),
  ...(["additionalSecretOutputs", "aliases", "customTimeouts", "importID", "retainOnDelete", "deletedWith"] as const),
  ...(["replaceWith", "created", "modified", "sourcePosition", "stackTrace", "ignoreChanges", "hideDiff"] as const),
  ...(["replaceOnChanges", "replacementTrigger", "refreshBeforeUpdate", "viewOf", "resourceHooks"] as const),
];

/** Converts a resource to its checkpoint form. Omits empty and false fields. */
export function asWritten(resource: ResourceState): ResourceState {
  const others = Object.keys(resource).filter((field) => !(FIELDS as readonly string[]).includes(field));
  const names = [...FIELDS, ...(others as (keyof ResourceState)[])];
  const fields = names.map((field) => [field, resource[field]] as const);
  const written = fields.filter(([field, value]) => field === "custom" || isSaid(value));
  return Object.fromEntries(written) as unknown as ResourceState;
}

function isSaid(value: ResourceState[keyof ResourceState]): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== false && value !== "" && value !== null;
}

/** Returns the URN of a provider resource from its reference. */
export function providerUrn(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}
