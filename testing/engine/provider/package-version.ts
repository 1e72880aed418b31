/** The version of a package and the address of its plugin, as the inputs of provider resources contain them. */
import type { ResourceState } from "../state/checkpoint";
import { isMap, type Properties } from "../state/property";
import { isProviderType, packageOf } from "../state/urn";
import { equalValues } from "../state/values";

/** The key of the inputs that only the engine reads. Plugins never get it. */
const INTERNAL = "__internal";

/** What a program asks of a plugin. Empty fields mean any. */
export interface PackageVersion {
  readonly version: string;
  readonly downloadUrl: string;
}

/** No demands. */
export const ANY_VERSION: PackageVersion = { version: "", downloadUrl: "" };

/** Adds a version to the inputs of a provider resource. */
export function withPackageVersion(inputs: Properties, { version, downloadUrl }: PackageVersion): Properties {
  if (!version && !downloadUrl) return inputs;
  const internals = isMap(inputs[INTERNAL]) ? inputs[INTERNAL] : {};
  return {
    ...inputs,
    ...(version && { version }),
    [INTERNAL]: { ...internals, ...(downloadUrl && { pluginDownloadURL: downloadUrl }) },
  };
}

/** Returns the version in the inputs of a provider resource. */
export function packageVersionOf(inputs: Properties): PackageVersion {
  // States of older engines have everything on the top level.
  const internals = isMap(inputs[INTERNAL]) ? inputs[INTERNAL] : inputs;
  const { version } = inputs;
  const { pluginDownloadURL: url } = internals;
  return { version: typeof version === "string" ? version : "", downloadUrl: typeof url === "string" ? url : "" };
}

/** Returns the inputs that a plugin gets. */
export function withoutInternals(inputs: Properties): Properties {
  const { [INTERNAL]: _, ...rest } = inputs;
  return rest;
}

/** Restores what a plugin must not change in the inputs of its provider resource. */
export function withVersionOf(asked: Properties, answered: Properties, urn: string): Properties {
  const { version, [INTERNAL]: internals } = asked;
  if (version !== undefined && answered.version !== undefined && !equalValues(answered.version, version)) {
    throw new Error(`the plugin of the provider ${urn} changed the input "version"`);
  }
  return {
    ...answered,
    ...(version !== undefined && { version }),
    ...(internals !== undefined && { [INTERNAL]: internals }),
  };
}

/** Returns the name of the default provider for a version of a package: `default_1_2_3`. */
export function defaultProviderName({ version, downloadUrl }: PackageVersion): string {
  const [, core = "", pre = "", build = ""] = /^([\d.]+)(?:-([^+]*))?(?:\+(.*))?$/.exec(version) ?? [];
  const parts = [core, pre, build].filter((part) => part !== "").flatMap((part) => part.split("."));
  const segments = downloadUrl.split("/").filter((segment) => segment !== "");
  const url = segments.map((segment) => segment.replace(/[^A-Za-z0-9_.-]/g, "_")).join("/");
  return ["default", ...parts, ...(url ? [url] : [])].join("_");
}

/**
 * Returns the newest version of a package in a state. Programs that ask for no version get it. The CLI prefers what the
 * program's language reports, which this engine does not ask.
 */
export function newestVersion(packageName: string, resources: readonly ResourceState[]): PackageVersion {
  const found = resources
    .filter(({ type }) => isProviderType(type) && packageOf(type) === packageName)
    .map(({ inputs = {} }) => packageVersionOf(inputs));
  return found.sort((a, b) => compareVersions(a.version, b.version)).at(-1) ?? ANY_VERSION;
}

/** Compares two versions: negative if `a` is older than `b`. No version is the oldest. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parsed(a), parsed(b)];
  const numbers = compareLists(one.core, other.core);
  if (numbers !== 0) return numbers;
  // A version is newer than its previews.
  if (one.pre.length === 0 || other.pre.length === 0) return other.pre.length - one.pre.length;
  return compareLists(one.pre, other.pre);
}

function parsed(version: string) {
  const [core = "", pre = ""] = version.replace(/^v|\+.*$/g, "").split(/-(.*)/s);
  return { core: core.split(".").filter(Boolean), pre: pre.split(".").filter(Boolean) };
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [one = "", other = ""] = [a[i], b[i]];
    if (one !== other) return one.localeCompare(other, "en", { numeric: true });
  }
  return 0;
}
