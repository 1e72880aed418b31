import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Finding, fail, ok } from "./finding";
import { runApart } from "./run-apart";
import { isAtLeast } from "./versions";

const READ_TIMEOUT_MS = 30_000;

/** Reads the program's tsconfig.json with the program's own TypeScript. Runs in a process in the program's folder. */
const SCRIPT = `
const ts = require("typescript");
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config ?? {}, ts.sys, process.cwd());
console.log(JSON.stringify({
  version: ts.version,
  refused: options.moduleResolution === ts.ModuleResolutionKind.Node10 && options.ignoreDeprecations !== "6.0",
}));`;

/** TypeScript 6 rejects the module resolution in Pulumi's own templates. */
export async function checkTsconfig(folder: string): Promise<Finding[]> {
  if (!existsSync(join(folder, "tsconfig.json"))) return [];
  const { stdout } = await runApart(process.execPath, ["-e", SCRIPT], { cwd: folder, timeoutMs: READ_TIMEOUT_MS });
  const { version, refused } = readAnswer(stdout);
  if (!isAtLeast(version, "6.0.0")) return [];
  if (!refused) return [ok("tsconfig", `fits TypeScript ${version}`)];
  return [
    fail(
      "tsconfig",
      `TypeScript ${version} refuses "moduleResolution": "node" (TS5107)`,
      'Set "module" and "moduleResolution" to "nodenext", or "ignoreDeprecations" to "6.0", in tsconfig.json.',
    ),
  ];
}

/** Parses the script's output. Version 0 means no TypeScript, or one that the script does not support. */
function readAnswer(stdout: string): { readonly version: string; readonly refused: boolean } {
  try {
    const { version, refused } = JSON.parse(stdout) as { readonly version: unknown; readonly refused: unknown };
    return { version: String(version), refused: refused === true };
  } catch {
    return { version: "0.0.0", refused: false };
  }
}
