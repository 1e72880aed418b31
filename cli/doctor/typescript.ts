import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonIn, type Members, membersOf, textOf } from "../../provider/members";
import { type Finding, fail, ok } from "./finding";
import { type PackageManager, type Project, readManifest } from "./project";
import { isAtLeast } from "./versions";

/** Pulumi's own TypeScript, for programs without one. */
const OWN = "3.8.3";

/**
 * Loads the TypeScript that Pulumi would, and reads the program's tsconfig.json with it. Runs in a process in the
 * program's folder. Pulumi ignores the codes that it leaves out.
 */
const TRY_TYPESCRIPT = `
const ts = require("@pulumi/pulumi/typescript-shim");
const { version } = ts;
if (typeof ts.sys?.readFile !== "function") console.log(JSON.stringify({ version }));
else {
  const hasConfig = ts.sys.fileExists("tsconfig.json");
  const { config, error } = hasConfig ? ts.readConfigFile("tsconfig.json", ts.sys.readFile) : {};
  const { options, errors } = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, process.cwd());
  const [flaw] = [...(error ? [error] : []), ...errors].filter(({ code }) => ![6059, 18002, 18003].includes(code));
  console.log(JSON.stringify({
    version,
    loads: true,
    hasConfig,
    outdated: options.moduleResolution === ts.ModuleResolutionKind.Node10 && options.ignoreDeprecations !== "6.0",
    flaw: flaw && ts.flattenDiagnosticMessageText(flaw.messageText, " ") + " (TS" + flaw.code + ")",
  }));
}`;

/** What Pulumi would do with the program's TypeScript: it loads one before each program that does not refuse it. */
export async function checkTypeScript(folder: string, project: Project, packages: PackageManager): Promise<Finding[]> {
  if (project.options.typescript === false) return [];
  const tried = membersOf(jsonIn(await runApart(TRY_TYPESCRIPT, folder, packages.pnp)));
  const version = textOf(tried.version);
  // Without a version, the SDK is not one that is supported.
  const found = version === undefined ? undefined : judged(version, tried, `Run \`${packages.add} typescript@6\``);
  return [found, checkModules(folder, project)].filter((finding) => finding !== undefined);
}

function judged(version: string, tried: Members, install: string): Finding | undefined {
  if (tried.loads !== true) {
    return fail(
      "typescript",
      `Pulumi cannot load any program with TypeScript ${version}, which has no programming interface`,
      `${install}. Or compile the program, and set \`typescript: false\` below \`runtime.options\` in Pulumi.yaml.`,
    );
  }
  if (tried.hasConfig !== true) return undefined;
  const flaw = textOf(tried.flaw);
  if (flaw !== undefined && version === OWN) {
    const says = `Pulumi's own TypeScript ${OWN}, which it uses without another one, refuses tsconfig.json: ${flaw}`;
    return fail("tsconfig", says, `${install}.`);
  }
  if (flaw !== undefined)
    return fail("tsconfig", `TypeScript ${version} refuses tsconfig.json: ${flaw}`, "Correct it.");
  if (!isAtLeast(version, "6.0.0")) return undefined;
  if (tried.outdated !== true) return ok("tsconfig", `fits TypeScript ${version}`);
  return fail(
    "tsconfig",
    `TypeScript ${version} refuses "moduleResolution": "node" (TS5107)`,
    'Set "module" and "moduleResolution" to "nodenext", or "ignoreDeprecations" to "6.0", in tsconfig.json.',
  );
}

/** Pulumi loads TypeScript, but not as ES modules. Node then does not know the file extension. */
function checkModules(folder: string, { main, options }: Project): Finding | undefined {
  const manifest = readManifest(join(folder, "package.json"));
  const entry = main ?? textOf(manifest.main) ?? "index.ts";
  const isModule = manifest.type === "module" && entry.endsWith(".ts") && existsSync(join(folder, entry));
  if (!isModule || /--import|--loader|--experimental-strip-types/.test(textOf(options.nodeargs) ?? ""))
    return undefined;
  return fail(
    "modules",
    'package.json says "type": "module", and Pulumi loads TypeScript only as CommonJS (Unknown file extension ".ts")',
    'Install tsx, and set `nodeargs: "--import tsx"` below `runtime.options` in Pulumi.yaml; or compile, and run the JavaScript.',
  );
}

/** What a process needs to start and to find files, and nothing that could be secret. */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "LANG", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "APPDATA", "LOCALAPPDATA", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"],
]);

/** Runs a script that loads packages of a folder in a process of its own, which gets no settings and no credentials. */
function runApart(script: string, cwd: string, pnp: string | undefined): Promise<string> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase())));
  const preload = pnp === undefined ? [] : ["--require", pnp];
  // A program can ignore any other signal.
  const limits = { cwd, env, timeout: 30_000, killSignal: "SIGKILL" } as const;
  return new Promise((done) => {
    execFile(process.execPath, [...preload, "-e", script], limits, (_, stdout) => done(stdout));
  });
}
