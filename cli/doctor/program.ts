import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isObject, membersOf, textOf } from "../../provider/members";
import { didYouMean } from "../../provider/nearest";
import { SETTING_NAMES } from "../../provider/settings/setting-names";
import { cleanText } from "../../provider/text";
import { VERSION } from "../../provider/version";
import { type Finding, fail, ok, warn } from "./finding";
import { isAtLeast, lowerBound, ownPackage } from "./machine";
import { type PackageManager, packageManagerOf, readManifest } from "./package-manager";
import { runApart } from "./run-apart";
import { projectIn, type StackConfig } from "./stack-config";
import { checkTypeScript } from "./typescript";

const LOAD_TIMEOUT_MS = 30_000;
/** The first SDK version that requires Node 22. */
const SDK_FOR_NODE_22 = "3.249.0";

/**
 * Checks a program's folder: its Pulumi settings, and the packages that it would use.
 * @param settings - The settings in its files.
 */
export async function checkProgram(folder: string, settings: StackConfig["settings"]): Promise<Finding[]> {
  const project = readProject(folder);
  const misnamed = checkNames(project, settings);
  if (!project.isNode) return [project.finding, ...misnamed];
  const packages = packageManagerOf(folder, project.packageManager);
  if (packages.finding.verdict === "fail") return [project.finding, ...misnamed, packages.finding];
  const sdk = manifestOf("@pulumi/pulumi", folder);
  const keyplane = manifestOf("keyplane", folder);
  const sdkFinding = checkSdk(sdk?.version, packages);
  const run = (script: string) => runNode(script, folder, packages);
  // A copy of an unsupported version must be replaced first, so the copies are not compared.
  const comparable = sdk !== undefined && keyplane !== undefined && sdkFinding.verdict !== "fail";
  const findings = [
    project.finding,
    ...misnamed,
    packages.finding,
    sdkFinding,
    checkKeyplane(keyplane?.version, packages),
    keyplane && checkProvider(await run(LOAD_PROVIDER), packages),
    comparable ? checkCopies(sdk, keyplane, packages) : undefined,
    checkModules(folder, project),
    project.usesTypeScript ? await checkTypeScript(async (script) => (await run(script)).stdout, packages) : undefined,
  ];
  return findings.filter((finding) => finding !== undefined);
}

interface Manifest {
  readonly version: string;
  /** The package's folder, with links resolved. */
  readonly folder: string;
}

/** Returns the package that a program in this folder would load. */
function manifestOf(name: string, folder: string): Manifest | undefined {
  try {
    const path = createRequire(join(folder, "index.js")).resolve(`${name}/package.json`);
    return { version: String(readManifest(path).version), folder: dirname(realpathSync(path)) };
  } catch {
    return undefined;
  }
}

/** What a project's file says. Programs in other languages use the plugin, and no packages of Node. */
interface Project {
  readonly finding: Finding;
  readonly isNode: boolean;
  readonly name?: unknown;
  readonly main?: unknown;
  readonly nodeArgs?: unknown;
  readonly packageManager?: unknown;
  readonly usesTypeScript?: boolean;
}

function readProject(folder: string): Project {
  const failed = (says: string, remedy: string) => ({ finding: fail("program", says, remedy), isNode: false });
  const { file, declared } = projectIn(folder) ?? {};
  if (file === undefined) {
    const says = existsSync(folder) ? `there is no Pulumi.yaml in ${folder}` : "the folder of --program does not exist";
    return failed(says, "Pass the program's folder with --program DIR.");
  }
  if (!isObject(declared)) return failed(`${file} is not valid YAML`, "Correct it. `pulumi about` shows the error.");
  if (!textOf(declared.name)) return failed(`its name is not set (${file})`, "Set `name` in it.");
  const { name: runtime, options } = isObject(declared.runtime) ? declared.runtime : { name: declared.runtime };
  if (typeof runtime !== "string" || runtime === "") {
    return failed(`its runtime is not set (${file})`, "Set `runtime` in it, such as `runtime: nodejs`.");
  }
  const isNode = runtime === "nodejs";
  const says = `${file}, runtime ${runtime.slice(0, 40)}${isNode ? "" : ", which uses the keyplane plugin"}`;
  const { name, main } = declared;
  const { nodeargs: nodeArgs, packagemanager: packageManager, typescript } = membersOf(options);
  const usesTypeScript = typescript !== false;
  return { finding: ok("program", says), isNode, name, main, nodeArgs, packageManager, usesTypeScript };
}

/** The npm package ignores a setting that it does not know, and the plugin refuses it. */
function checkNames({ isNode, name: project }: Project, settings: StackConfig["settings"]): Finding[] {
  return [...settings].flatMap(([name, { file }]) => {
    if (SETTING_NAMES.some((known) => known === name)) return [];
    const hint = didYouMean(name, SETTING_NAMES);
    // The project's own settings have its name as their prefix.
    if (hint === "" && project === "keyplane") return [];
    const says = `${file} has it, but it is not a setting${isNode ? ", and has no effect" : ""}${hint}`;
    return [(isNode ? warn : fail)(`setting ${name}`, says, "Correct or remove it.")];
  });
}

/** Pulumi loads TypeScript, but not as ES modules. Node then does not know the file extension. */
function checkModules(folder: string, { main, nodeArgs }: Project): Finding | undefined {
  const manifest = readManifest(join(folder, "package.json"));
  if (manifest.type !== "module") return undefined;
  const entry = textOf(main) ?? textOf(manifest.main) ?? "index.ts";
  if (!entry.endsWith(".ts") || !existsSync(join(folder, entry))) return undefined;
  if (/--import|--loader|--experimental-strip-types/.test(textOf(nodeArgs) ?? "")) {
    return ok("modules", 'ES modules in TypeScript, loaded by "nodeargs"');
  }
  return fail(
    "modules",
    'package.json says "type": "module", and Pulumi loads TypeScript only as CommonJS (Unknown file extension ".ts")',
    'Install tsx, and set `nodeargs: "--import tsx"` below `runtime.options` in Pulumi.yaml; or compile, and run the JavaScript.',
  );
}

function checkSdk(version: string | undefined, { add }: PackageManager): Finding {
  const range = ownPackage().peerDependencies["@pulumi/pulumi"];
  if (version === undefined) {
    const remedy = `Run \`${add} @pulumi/pulumi\` in its folder.`;
    return fail("pulumi-sdk", "the program cannot find @pulumi/pulumi", remedy);
  }
  const says = `@pulumi/pulumi ${version}`;
  if (!isAtLeast(version, lowerBound(range)) || isAtLeast(version, "4.0.0")) {
    return fail("pulumi-sdk", `${says} is not supported`, `Run \`npm install "@pulumi/pulumi@${range}"\`.`);
  }
  if (isAtLeast(version, SDK_FOR_NODE_22) && !isAtLeast(process.versions.node, "22.0.0")) {
    return warn("pulumi-sdk", `${says} requires Node 22`, "Use Node 22 or newer, or @pulumi/pulumi 3.248.");
  }
  return ok("pulumi-sdk", says);
}

function checkKeyplane(version: string | undefined, { add, run }: PackageManager): Finding {
  if (version === undefined) {
    const remedy = `Run \`${add} keyplane\` in its folder, also if a library of the program depends on keyplane.`;
    return fail("keyplane", "the program cannot find keyplane", remedy);
  }
  if (version === VERSION) return ok("keyplane", `keyplane ${version}`);
  const remedy = `Run the version of the program: \`${run} keyplane\` in its folder.`;
  return warn("keyplane", `the program has keyplane ${version}, this command is ${VERSION}`, remedy);
}

/** Loads the provider as Pulumi's host does. */
const LOAD_PROVIDER = 'process.exit(typeof require("keyplane/provider").ApiKey === "object" ? 0 : 3)';

/** Runs a script of Node in its own process, which finds packages as the program does. */
function runNode(script: string, cwd: string, { pnp }: PackageManager): ReturnType<typeof runApart> {
  const preload = pnp === undefined ? [] : ["--require", pnp];
  return runApart(process.execPath, [...preload, "-e", script], { cwd, timeout: LOAD_TIMEOUT_MS });
}

function checkProvider(
  { error, stderr }: Awaited<ReturnType<typeof runApart>>,
  { reinstall }: PackageManager,
): Finding {
  if (error === undefined) return ok("provider", "keyplane/provider loads");
  const lines = stderr.split(/\r?\n/);
  const why = lines.find((line) => /^\w*Error/.test(line) || line.includes("Cannot find module")) ?? "unknown error";
  const remedy = `Reinstall the dependencies: \`${reinstall}\`.`;
  return fail("provider", `keyplane/provider does not load: ${cleanText(why)}`, remedy);
}

/** Two copies of the SDK do not share resources and settings. */
function checkCopies(sdk: Manifest, keyplane: Manifest, { dedupe }: PackageManager): Finding | undefined {
  const own = manifestOf("@pulumi/pulumi", keyplane.folder);
  if (own === undefined || own.folder === sdk.folder) return undefined;
  return warn(
    "sdk-copies",
    `the program and keyplane use different copies of @pulumi/pulumi: ${sdk.version} and ${own.version} (${own.folder})`,
    `Run \`${dedupe}\`, or install keyplane from a package instead of a link.`,
  );
}
