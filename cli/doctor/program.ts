import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { didYouMean } from "../../provider/nearest";
import { SETTING_NAMES } from "../../provider/settings/setting-names";
import { VERSION } from "../../provider/version";
import { type Finding, fail, ok, warn } from "./finding";

/** The first SDK version that requires Node 22. */
const SDK_FOR_NODE_22 = "3.249.0";

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

const ownManifest = () => require("keyplane/package.json") as Manifest;

export function checkNode(version: string = process.versions.node): Finding {
  const least = lowerBound(ownManifest().engines.node);
  if (isAtLeast(version, least)) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is too old`, `Install Node ${least} or newer.`);
}

/**
 * Checks the names of a program's settings, and the packages that it would load. Runs no code of its folder.
 * @param settings - The names of the settings in its configuration, without `keyplane:`.
 */
export function checkProgram(folder: string, settings: readonly string[]): Finding[] {
  const misnamed = settings.flatMap((name) => {
    if (SETTING_NAMES.some((known) => known === name)) return [];
    const says = `it is not a setting, and the npm package ignores it${didYouMean(name, SETTING_NAMES)}`;
    return [warn(`setting ${name}`, says, "Correct or remove it.")];
  });
  // Programs in other languages use the plugin, and no packages of Node.
  if (!existsSync(join(folder, "package.json"))) return misnamed;
  const [sdk, keyplane] = [packageIn(folder, "@pulumi/pulumi"), packageIn(folder, "keyplane")];
  const ofSdk = checkSdk(sdk?.version);
  // An unsupported version must be replaced first.
  const copy = keyplane && ofSdk.verdict !== "fail" ? packageIn(keyplane.folder, "@pulumi/pulumi") : undefined;
  const copies = `${sdk?.version} and ${copy?.version} (${copy?.folder})`;
  return [
    ...misnamed,
    ofSdk,
    checkKeyplane(keyplane?.version),
    // Two copies of the SDK do not share resources and settings.
    ...(copy === undefined || copy.folder === sdk?.folder
      ? []
      : [
          warn(
            "sdk-copies",
            `the program and keyplane use different copies of @pulumi/pulumi: ${copies}`,
            "Run `npm dedupe`, or install keyplane from a package instead of a link.",
          ),
        ]),
  ];
}

/** The version and the folder of the package that code in a folder would load; `undefined` if it finds none. */
function packageIn(folder: string, name: string): { readonly version: string; readonly folder: string } | undefined {
  try {
    const path = createRequire(join(folder, "index.js")).resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(path, "utf8")) as Manifest;
    return { version: String(version), folder: dirname(realpathSync(path)) };
  } catch {
    return undefined;
  }
}

function checkSdk(version: string | undefined): Finding {
  const range = ownManifest().peerDependencies["@pulumi/pulumi"];
  const remedy = `Install "@pulumi/pulumi@${range}" in its folder.`;
  if (version === undefined) return fail("pulumi-sdk", "the program cannot find @pulumi/pulumi", remedy);
  const says = `@pulumi/pulumi ${version}`;
  if (!isAtLeast(version, lowerBound(range)) || isAtLeast(version, "4.0.0")) {
    return fail("pulumi-sdk", `${says} is not supported`, remedy);
  }
  if (isAtLeast(version, SDK_FOR_NODE_22) && !isAtLeast(process.versions.node, "22.0.0")) {
    return warn("pulumi-sdk", `${says} requires Node 22`, "Use Node 22 or newer, or @pulumi/pulumi 3.248.");
  }
  return ok("pulumi-sdk", says);
}

function checkKeyplane(version: string | undefined): Finding {
  if (version === undefined) {
    const remedy = "Install keyplane in its folder, also if a library of the program depends on it.";
    return fail("keyplane", "the program cannot find keyplane", remedy);
  }
  if (version === VERSION) return ok("keyplane", `keyplane ${version}`);
  const remedy = "Run the version of the program: `npx keyplane` in its folder.";
  return warn("keyplane", `the program has keyplane ${version}, this command is ${VERSION}`, remedy);
}

/** Whether a version is at least another one. Ignores everything after a hyphen. */
function isAtLeast(version: string, least: string): boolean {
  return (version.split("-", 1)[0] ?? "").localeCompare(least, "en", { numeric: true }) >= 0;
}

/** Returns the lower bound of a range such as `>=3.150.0 <4`. */
function lowerBound(range: string): string {
  return /\d{1,6}\.\d{1,6}\.\d{1,6}/.exec(range)?.[0] ?? "0.0.0";
}
