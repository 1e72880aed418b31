/** Pulumi's checkpoint, versions 3 and 4: the types of a stack's state file and of `stack export`. */
import { createHash } from "node:crypto";
import type { Json, Properties } from "./property";
import { NotSupportedError } from "./refused";

/** One resource in a checkpoint. Absent fields mean empty or false. */
export interface ResourceState {
  readonly urn: string;
  /** True for a resource with a provider, false for a component. */
  readonly custom: boolean;
  /** Replaced already, and to be deleted by the next run. */
  readonly delete?: boolean;
  /** The provider's id; absent for components. */
  readonly id?: string;
  readonly type: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
  readonly parent?: string;
  readonly protect?: boolean;
  /** To be replaced by the next run, as `pulumi state taint` asks. */
  readonly taint?: boolean;
  /** Read by the program, not owned by the stack. */
  readonly external?: boolean;
  readonly dependencies?: readonly string[];
  /** Why the resource, though created, is not ready. */
  readonly initErrors?: readonly string[];
  /** The provider's reference: its URN, `::`, its id. */
  readonly provider?: string;
  /** URNs on which each input depends. */
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** Deleted before its replacement, which has not been created yet. */
  readonly pendingReplacement?: boolean;
  readonly additionalSecretOutputs?: readonly string[];
  readonly aliases?: readonly string[];
  readonly customTimeouts?: CustomTimeouts;
  readonly importID?: string;
  readonly retainOnDelete?: boolean;
  readonly deletedWith?: string;
  readonly replaceWith?: readonly string[];
  /** When it was first recorded, RFC 3339. */
  readonly created?: string;
  /** When its state last changed, RFC 3339. */
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

/** Time limits of a resource's operations, in seconds. */
export interface CustomTimeouts {
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
  readonly read?: number;
}

/** What was being done to a resource when the state was written. */
export interface PendingOperation {
  readonly resource: ResourceState;
  readonly type: "creating" | "updating" | "deleting" | "reading" | "importing";
}

/** Who wrote a checkpoint, and when. */
export interface Manifest {
  /** RFC 3339. */
  readonly time: string;
  /** SHA-256 of `version` in hex. */
  readonly magic: string;
  readonly version: string;
}

/** A stack's secrets provider, and what is needed to open it again. */
export interface SecretsProviders {
  readonly type: string;
  readonly state?: { readonly salt: string };
}

/** The resources of a stack after a run. */
export interface Deployment {
  readonly manifest: Manifest;
  readonly secrets_providers?: SecretsProviders;
  /** Dependencies come before their dependents. */
  readonly resources?: readonly ResourceState[];
  readonly pending_operations?: readonly PendingOperation[];
  readonly metadata?: { readonly integrity_error?: { readonly version?: string; readonly error?: string } };
}

/** The format of a state: version 4 only where it holds what engines that know version 3 would lose. */
export interface Schema {
  readonly version: 3 | 4;
  /** What makes it version 4. */
  readonly features?: readonly string[];
}

/** The content of a stack's state file. `latest` is absent before the first run. */
export interface Checkpoint extends Schema {
  readonly checkpoint: { readonly stack: string; readonly latest?: Deployment };
}

/** What `stack export` prints and `stack import` reads. */
export interface ExportedStack extends Schema {
  readonly deployment: Deployment;
}

/** The features of version 4 that this engine keeps, and which resources have them. */
const FEATURES: Readonly<Record<string, (resource: ResourceState) => boolean>> = {
  replaceWith: ({ replaceWith = [] }) => replaceWith.length > 0,
  taint: ({ taint = false }) => taint,
};

/** The format that a state must have. */
export function schemaOf({ resources = [] }: Deployment): Schema {
  const features = Object.keys(FEATURES).filter((feature) => resources.some((state) => FEATURES[feature]?.(state)));
  return features.length > 0 ? { version: 4, features } : { version: 3 };
}

/** @throws Error where a state has another format than this engine writes; `what` names the state. */
export function requireSchema(what: string, { version, features = [] }: Schema): void {
  if (version !== 3 && version !== 4)
    throw new Error(`${what}: unsupported version ${String(version)}, expected 3 or 4`);
  const unknown = features.filter((feature) => !(feature in FEATURES));
  if (unknown.length > 0) throw new NotSupportedError(`${what}: the feature ${unknown.join(", ")} of a state`);
}

/** The version this engine writes into manifests: that of the CLI whose behaviour it reproduces. */
export const ENGINE_VERSION = "v3.260.0";

/** A manifest for a state written at `time`. */
export function manifestAt(time: Date): Manifest {
  return {
    time: time.toISOString(),
    magic: createHash("sha256").update(ENGINE_VERSION).digest("hex"),
    version: ENGINE_VERSION,
  };
}

/** The fields of a resource in the order in which checkpoints have them. */
const FIELDS: readonly (keyof ResourceState)[] = [
  ...([
    "urn",
    "custom",
    "delete",
    "id",
    "type",
    "inputs",
    "outputs",
    "parent",
    "protect",
    "taint",
    "external",
  ] as const),
  ...(["dependencies", "initErrors", "provider", "propertyDependencies", "pendingReplacement"] as const),
  ...(["additionalSecretOutputs", "aliases", "customTimeouts", "importID", "retainOnDelete", "deletedWith"] as const),
  ...(["replaceWith", "created", "modified", "sourcePosition", "stackTrace", "ignoreChanges", "hideDiff"] as const),
  ...(["replaceOnChanges", "replacementTrigger", "refreshBeforeUpdate", "viewOf", "resourceHooks"] as const),
];

/** A resource as a checkpoint writes it: what is empty or false is left out. */
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

/** The provider's reference without the provider's id: the URN of the provider resource. */
export function providerUrn(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}
