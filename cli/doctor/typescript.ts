import { jsonIn, membersOf, textOf } from "../../provider/members";
import { type Finding, fail, ok } from "./finding";
import { isAtLeast } from "./machine";
import type { PackageManager } from "./package-manager";

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

/**
 * What Pulumi would do with the program's TypeScript. It loads TypeScript before it runs any program, unless Pulumi.yaml
 * says `typescript: false`.
 * @param run - Runs a script of Node in the program's folder, and returns what it prints.
 */
export async function checkTypeScript(
  run: (script: string) => Promise<string>,
  { addDev }: PackageManager,
): Promise<Finding | undefined> {
  const tried = membersOf(jsonIn(await run(TRY_TYPESCRIPT)));
  const version = textOf(tried.version);
  // Without a version, the SDK is not one that is supported.
  if (version === undefined) return undefined;
  const install = `Run \`${addDev} typescript@6\``;
  if (tried.loads !== true) {
    return fail(
      "typescript",
      `Pulumi cannot load any program with TypeScript ${version}, which has no programming interface`,
      `${install}. Or compile the program, and set \`typescript: false\` below \`runtime.options\` in Pulumi.yaml.`,
    );
  }
  if (tried.hasConfig !== true) return undefined;
  const flaw = textOf(tried.flaw);
  const isOwn = version === "3.8.3";
  if (flaw !== undefined) {
    const which = isOwn ? "Pulumi's own TypeScript 3.8.3, which it uses without another one," : `TypeScript ${version}`;
    return fail(
      "tsconfig",
      `${which} refuses tsconfig.json: ${flaw}`,
      isOwn ? `${install}.` : "Correct tsconfig.json.",
    );
  }
  if (!isAtLeast(version, "6.0.0")) return undefined;
  if (tried.outdated !== true) return ok("tsconfig", `fits TypeScript ${version}`);
  return fail(
    "tsconfig",
    `TypeScript ${version} refuses "moduleResolution": "node" (TS5107)`,
    'Set "module" and "moduleResolution" to "nodenext", or "ignoreDeprecations" to "6.0", in tsconfig.json.',
  );
}
