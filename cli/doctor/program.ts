import { createRequire } from "node:module";
import { join } from "node:path";
import { didYouMean } from "../../provider/nearest";
import { isOwnSetting } from "../../provider/settings/own-settings";
import { SETTING_NAMES } from "../../provider/settings/setting-names";
import { type Finding, fail, ok, warn } from "./finding";
import { type PackageManager, type Project, packageManagerOf, readManifest, readProject } from "./project";
import { checkTypeScript } from "./typescript";
import { isAtLeast, lowerBound } from "./versions";

/** The first SDK version that requires Node 22. */
const SDK_FOR_NODE_22 = "3.249.0";

interface Manifest {
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
 * Checks a program's Pulumi.yaml, the names of its settings, and the packages that it would load.
 * @param settings - The names of the settings in its configuration, without `keyplane:`.
 */
export async function checkProgram(folder: string, settings: readonly string[]): Promise<readonly Finding[]> {
  const project = readProject(folder);
  const unknown = settings.filter(
    (name) => !SETTING_NAMES.some((known) => known === name) && !isOwnSetting(name, project.name),
  );
  const found = [project.finding, ...unknown.map((name) => misnamed(name, project))];
  if (!project.isNode) return found;
  const packages = packageManagerOf(folder, project.options.packagemanager);
  found.push(packages.finding);
  if (packages.finding.verdict === "fail") return found;
  found.push(
    checkSdk(versionIn(folder, "@pulumi/pulumi"), packages),
    checkKeyplane(versionIn(folder, "keyplane"), packages),
  );
  return [...found, ...(await checkTypeScript(folder, project, packages))];
}

/** The npm package ignores a setting that it does not know, and the plugin refuses it. */
function misnamed(name: string, { isNode }: Project): Finding {
  const says = `it is not a setting${isNode ? ", and has no effect" : ""}${didYouMean(name, SETTING_NAMES)}`;
  return (isNode ? warn : fail)(`setting ${name}`, says, "Correct or remove it.");
}

/** The version of the package that code in a folder would load; `undefined` if it finds none. */
function versionIn(folder: string, name: string): string | undefined {
  try {
    return String(readManifest(createRequire(join(folder, "index.js")).resolve(`${name}/package.json`)).version);
  } catch {
    return undefined;
  }
}

function checkSdk(version: string | undefined, { add }: PackageManager): Finding {
  const range = ownManifest().peerDependencies["@pulumi/pulumi"];
  const remedy = `Run \`${add} "@pulumi/pulumi@${range}"\` in its folder.`;
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

function checkKeyplane(version: string | undefined, { add }: PackageManager): Finding {
  if (version !== undefined) return ok("keyplane", `keyplane ${version}`);
  const remedy = `Run \`${add} keyplane\` in its folder, also if a library of the program depends on it.`;
  return fail("keyplane", "the program cannot find keyplane", remedy);
}
