import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Finding, fail, ok } from "./finding";
import { isAtLeast } from "./versions";

/** What is needed of the program's own TypeScript. */
interface TypeScript {
  readonly version: string;
  readonly sys: { readFile(path: string): string | undefined };
  readConfigFile(path: string, read: (path: string) => string | undefined): { readonly config?: unknown };
  parseJsonConfigFileContent(config: unknown, host: unknown, folder: string): { readonly options: Options };
  readonly ModuleResolutionKind: { readonly Node10: number };
}

interface Options {
  readonly moduleResolution?: number;
  readonly ignoreDeprecations?: string;
}

/** TypeScript 6 refuses the module resolution that Pulumi's own templates ask for. */
export function checkTsconfig(folder: string): Finding[] {
  const path = join(folder, "tsconfig.json");
  const typescript = existsSync(path) ? typescriptOf(folder) : undefined;
  if (typescript === undefined || !isAtLeast(typescript.version, "6.0.0")) return [];
  const { config } = typescript.readConfigFile(path, typescript.sys.readFile);
  const { options } = typescript.parseJsonConfigFileContent(config ?? {}, typescript.sys, folder);
  const refused = options.moduleResolution === typescript.ModuleResolutionKind.Node10;
  if (!refused || options.ignoreDeprecations === "6.0")
    return [ok("tsconfig", `fits TypeScript ${typescript.version}`)];
  return [
    fail(
      "tsconfig",
      `TypeScript ${typescript.version} refuses "moduleResolution": "node" (TS5107)`,
      'Set "module" and "moduleResolution" to "nodenext", or "ignoreDeprecations" to "6.0", in tsconfig.json.',
    ),
  ];
}

function typescriptOf(folder: string): TypeScript | undefined {
  try {
    return createRequire(join(folder, "index.js"))("typescript") as TypeScript;
  } catch {
    return undefined;
  }
}
