/** The version of a package and the address of its plugin, as the inputs of provider resources contain them. */
import { isMap, type Properties } from "../state/property";
import { equalValues } from "../state/values";

/** The key of the inputs that only the engine reads. Plugins never get it. */
const INTERNAL = "__internal";

/** What a program asks of a plugin. Empty fields mean any. */
export interface PackageVersion {
  readonly version: string;
  readonly downloadUrl: string;
}

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
