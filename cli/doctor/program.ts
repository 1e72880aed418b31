import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isObject, jsonIn, type Members, membersOf, textOf } from "../../provider/members";
import { didYouMean } from "../../provider/nearest";
import { maskKeyLike } from "../../provider/secrets";
import { SETTING_NAMES } from "../../provider/settings/setting-names";
import { cleanText } from "../../provider/text";
import { VERSION } from "../../provider/version";
import { type Finding, fail, ok, warn } from "./finding";
import { isAtLeast, lowerBound, ownPackage } from "./machine";
import { runApart } from "./run-apart";
import { projectIn, type StackConfig } from "./stack-config";

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
  const sdk = manifestOf("@pulumi/pulumi", folder);
  const keyplane = manifestOf("keyplane", folder);
  const sdkFinding = checkSdk(sdk?.version);
  // A copy of an unsupported version must be replaced first, so the copies are not compared.
  const comparable = sdk !== undefined && keyplane !== undefined && sdkFinding.verdict !== "fail";
  const findings = [
    project.finding,
    ...misnamed,
    sdkFinding,
    checkKeyplane(keyplane?.version),
    keyplane && (await checkProvider(folder)),
    comparable ? checkCopies(sdk, keyplane) : undefined,
    checkModules(folder, project),
    await checkTsconfig(folder),
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
  return { finding: ok("program", says), isNode, name, main, nodeArgs: membersOf(options).nodeargs };
}

/** The npm package ignores a setting that it does not know, and the plugin refuses it. */
function checkNames({ isNode, name: project }: Project, settings: StackConfig["settings"]): Finding[] {
  return [...settings].flatMap(([name, { file }]) => {
    if (SETTING_NAMES.some((known) => known === name)) return [];
    const hint = didYouMean(name, SETTING_NAMES);
    // The project's own settings have its name as their prefix.
    if (hint === "" && project === "keyplane") return [];
    const says = `${file} has it, but it is not a setting${isNode ? ", and has no effect" : ""}${hint}`;
    return [(isNode ? warn : fail)(`setting ${maskKeyLike(name)}`, says, "Correct or remove it.")];
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

/** The members of a package.json; none if it cannot be read. */
function readManifest(path: string): Members {
  try {
    return membersOf(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}

function checkSdk(version: string | undefined): Finding {
  const range = ownPackage().peerDependencies["@pulumi/pulumi"];
  if (version === undefined) {
    const remedy = "Run `npm install @pulumi/pulumi` in its folder.";
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

function checkKeyplane(version: string | undefined): Finding {
  if (version === undefined) {
    return fail("keyplane", "the program cannot find keyplane", "Run `npm install keyplane` in its folder.");
  }
  if (version === VERSION) return ok("keyplane", `keyplane ${version}`);
  const remedy = "Run the version of the program: `npx keyplane` in its folder.";
  return warn("keyplane", `the program has keyplane ${version}, this command is ${VERSION}`, remedy);
}

/** Loads the provider as Pulumi's host does, in its own process. */
async function checkProvider(folder: string): Promise<Finding> {
  const script = 'process.exit(typeof require("keyplane/provider").ApiKey === "object" ? 0 : 3)';
  const { error, stderr } = await runApart(process.execPath, ["-e", script], { cwd: folder, timeout: LOAD_TIMEOUT_MS });
  if (error === undefined) return ok("provider", "keyplane/provider loads");
  const lines = stderr.split(/\r?\n/);
  const why = lines.find((line) => /^\w*Error/.test(line) || line.includes("Cannot find module")) ?? "unknown error";
  const remedy = "Reinstall the dependencies: `npm ci`.";
  return fail("provider", `keyplane/provider does not load: ${cleanText(why)}`, remedy);
}

/** Two copies of the SDK do not share resources and settings. */
function checkCopies(sdk: Manifest, keyplane: Manifest): Finding | undefined {
  const own = manifestOf("@pulumi/pulumi", keyplane.folder);
  if (own === undefined || own.folder === sdk.folder) return undefined;
  return warn(
    "sdk-copies",
    `the program and keyplane use different copies of @pulumi/pulumi: ${sdk.version} and ${own.version} (${own.folder})`,
    "Run `npm dedupe`, or install keyplane from a package instead of a link.",
  );
}

/** Reads the program's tsconfig.json with the program's own TypeScript. Runs in a process in the program's folder. */
const READ_TSCONFIG = `
const ts = require("typescript");
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, process.cwd());
console.log(JSON.stringify({
  version: ts.version,
  refused: options.moduleResolution === ts.ModuleResolutionKind.Node10 && options.ignoreDeprecations !== "6.0",
}));`;

/** TypeScript 6 rejects the module resolution in Pulumi's own templates. */
async function checkTsconfig(folder: string): Promise<Finding | undefined> {
  if (!existsSync(join(folder, "tsconfig.json"))) return undefined;
  const { stdout } = await runApart(process.execPath, ["-e", READ_TSCONFIG], { cwd: folder, timeout: LOAD_TIMEOUT_MS });
  // Without a version, there is no TypeScript, or one that the script does not support.
  const { version = "0.0.0", refused } = membersOf(jsonIn(stdout));
  if (!isAtLeast(String(version), "6.0.0")) return undefined;
  if (refused !== true) return ok("tsconfig", `fits TypeScript ${version}`);
  return fail(
    "tsconfig",
    `TypeScript ${version} refuses "moduleResolution": "node" (TS5107)`,
    'Set "module" and "moduleResolution" to "nodenext", or "ignoreDeprecations" to "6.0", in tsconfig.json.',
  );
}
