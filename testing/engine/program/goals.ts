/** Converts registrations to goals, including options inherited from parents. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import type { SourcePosition, StackTrace } from "@pulumi/pulumi/proto/source_pb";
import { NotSupportedError } from "../refused";
import type { CustomTimeouts } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { isProviderType, packageOf } from "../state/urn";
import type { Alias, Goal } from "./goal";
import { receive } from "./wire";

/** Options that registrations of older SDKs do not have, because their programs cannot set them. */
type Newer =
  | ("getEnvvarmappingsMap" | "getHidediffsList" | "getHooks" | "getPackageref" | "getReplaceWithList")
  | ("getReplacementTrigger" | "hasHooks" | "hasProtect" | "hasRetainondelete");

/** A registration of any supported SDK. */
export type Registration = Omit<RegisterResourceRequest, Newer> & Partial<Pick<RegisterResourceRequest, Newer>>;

/** Returns the reference of a package's provider. */
export type DefaultProvider = (packageName: string) => Promise<string>;

/** A goal with no options. */
export const EMPTY_GOAL: Goal = {
  type: "",
  name: "",
  custom: false,
  properties: {},
  parent: "",
  protect: undefined,
  dependencies: [],
  provider: "",
  propertyDependencies: {},
  deleteBeforeReplace: undefined,
  ignoreChanges: [],
  additionalSecretOutputs: [],
  aliases: [],
  customTimeouts: undefined,
  replaceOnChanges: [],
  retainOnDelete: undefined,
  sourcePosition: "",
  stackTrace: [],
};

/** Converts registrations to goals, in registration order: parents before children. */
export class Goals {
  private readonly known = new Map<string, Goal>();

  /** @param projectRoot the folder that source positions are relative to. */
  constructor(private readonly projectRoot: string) {}

  /** Creates the goal of a registration. Rejects features that this engine does not support. */
  async of(request: Registration, defaultProvider: DefaultProvider): Promise<Goal> {
    refuseUnsupported(request);
    const type = request.getType();
    const custom = request.getCustom();
    const parent = this.known.get(request.getParent());
    const { properties, dependencies, propertyDependencies } = valuesOf(request);
    return {
      type,
      name: request.getName(),
      custom,
      properties,
      parent: request.getParent(),
      // Older SDKs cannot omit these options: they send false for both "false" and "omitted".
      protect: (request.hasProtect?.() ?? request.getProtect()) ? request.getProtect() : parent?.protect,
      dependencies,
      provider: custom ? await defaultProvider(packageOf(type)) : "",
      propertyDependencies,
      deleteBeforeReplace:
        request.getDeletebeforereplacedefined() || request.getDeletebeforereplace()
          ? request.getDeletebeforereplace()
          : undefined,
      ignoreChanges: request.getIgnorechangesList(),
      additionalSecretOutputs: request.getAdditionalsecretoutputsList(),
      aliases: aliasesOf(request),
      customTimeouts: timeoutsOf(request),
      replaceOnChanges: request.getReplaceonchangesList(),
      retainOnDelete:
        (request.hasRetainondelete?.() ?? request.getRetainondelete())
          ? request.getRetainondelete()
          : parent?.retainOnDelete,
      ...positionOf(this.projectRoot, request),
    };
  }

  /** Records a registered resource, so that its children can inherit from it. */
  registered(urn: string, goal: Goal): void {
    this.known.set(urn, goal);
  }
}

/** The options that programs may set but this engine does not support, and whether a registration has them. */
const REFUSED: Readonly<Record<string, (request: Registration) => boolean>> = {
  import: (request) => request.getImportid() !== "",
  transforms: (request) => request.getTransformsList().length > 0,
  hooks: (request) =>
    request.hasHooks?.() === true &&
    Object.values(request.getHooks?.()?.toObject() ?? {}).some(({ length }) => length > 0),
  envVarMappings: (request) => (request.getEnvvarmappingsMap?.().getLength() ?? 0) > 0,
  deletedWith: (request) => request.getDeletedwith() !== "",
  replaceWith: (request) => (request.getReplaceWithList?.() ?? []).length > 0,
  replacementTrigger: (request) => request.getReplacementTrigger?.() !== undefined,
  version: (request) => request.getVersion() !== "",
  pluginDownloadURL: (request) => request.getPlugindownloadurl() !== "",
  hideDiffs: (request) => (request.getHidediffsList?.() ?? []).length > 0,
};

function refuseUnsupported(request: Registration): void {
  const named = `(${request.getType()} '${request.getName()}')`;
  if (isProviderType(request.getType())) throw new NotSupportedError(`an explicit provider ${named}`);
  if (request.getRemote()) throw new NotSupportedError(`a remote component ${named}`);
  if (request.getPackageref?.()) throw new NotSupportedError(`a parameterized package ${named}`);
  const option = Object.keys(REFUSED).find((name) => REFUSED[name]?.(request));
  if (option !== undefined) throw new NotSupportedError(`the resource option ${option} ${named}`);
}

function valuesOf(request: Registration): Pick<Goal, "properties" | "dependencies" | "propertyDependencies"> {
  const wire = (request.getObject()?.toJavaScript() ?? {}) as Properties;
  const dependencies = [...new Set(request.getDependenciesList())];
  const declared = new Map(
    request
      .getPropertydependenciesMap()
      .getEntryList()
      .map(([key, list]) => [key, (list as unknown as [string[]])[0] ?? []] as const),
  );
  const properties: Properties = {};
  const propertyDependencies: Record<string, readonly string[]> = Object.fromEntries(declared);
  for (const [key, value] of Object.entries(wire)) {
    const received = receive(value);
    properties[key] = received.value;
    // Without dependencies of single properties, each property depends on all dependencies.
    const on = declared.size === 0 ? dependencies : (declared.get(key) ?? []);
    propertyDependencies[key] = [...new Set([...on, ...received.dependencies])];
  }
  return { properties, dependencies, propertyDependencies };
}

function aliasesOf(request: Registration): Alias[] {
  const urns = request.getAliasurnsList().map((urn) => ({ urn }));
  const aliases = request.getAliasesList().map((alias): Alias => {
    const spec = alias.getSpec();
    if (spec === undefined) return { urn: alias.getUrn() };
    return {
      name: spec.getName(),
      type: spec.getType(),
      stack: spec.getStack(),
      project: spec.getProject(),
      parent: spec.getParenturn(),
      noParent: spec.getNoparent(),
    };
  });
  return [...urns, ...aliases];
}

const SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001, us: 1e-6, µs: 1e-6, ns: 1e-9 };

function timeoutsOf(request: Registration): CustomTimeouts | undefined {
  const { create, update, pb_delete, read } = (request.getCustomtimeouts()?.toObject() ?? {}) as Record<string, string>;
  const named = { create, update, delete: pb_delete, read };
  const set = Object.entries(named).flatMap(([name, text]) => (text ? [[name, secondsOf(text)] as const] : []));
  return set.length > 0 ? Object.fromEntries(set) : undefined;
}

/** Converts a duration such as `1h30m` to seconds. */
function secondsOf(duration: string): number {
  if (!/^(\d+(\.\d+)?(h|m|s|ms|us|µs|ns))+$/.test(duration))
    throw new Error(`unable to parse customTimeout ${duration}`);
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)];
  return parts.reduce((sum, [, count, unit = "s"]) => sum + Number(count) * (SECONDS[unit] ?? 0), 0);
}

interface Positioned {
  getSourceposition(): SourcePosition | undefined;
  getStacktrace?(): StackTrace | undefined;
}

function positionOf(root: string, request: Positioned): Pick<Goal, "sourcePosition" | "stackTrace"> {
  const frames = request.getStacktrace?.()?.getFramesList() ?? [];
  return {
    sourcePosition: positionText(root, request.getSourceposition()),
    stackTrace: frames.map((frame) => {
      const sourcePosition = positionText(root, frame.getPc());
      return sourcePosition ? { sourcePosition } : {};
    }),
  };
}

/** A source position as checkpoints have it: relative to the project, so that it reveals nothing about the machine. */
function positionText(root: string, position: SourcePosition | undefined): string {
  if (!position?.getUri().startsWith("file://")) return "";
  const path = relative(root, fileURLToPath(position.getUri())).replaceAll("\\", "/");
  const [line, column] = [position.getLine(), position.getColumn()];
  return `project:///${path}#${line}${column ? `,${column}` : ""}`;
}
