import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { compiledModule } from "../engine/package-root";

/** The engine that deploys a program: this package's engine, or the Pulumi CLI. */
export type EngineName = "embedded" | "cli";

/**
 * Returns the engine that `KEYPLANE_ENGINE` selects (`embedded` or `cli`).
 * @default "embedded"
 */
export function engineOf(env: NodeJS.ProcessEnv): EngineName {
  const name = env.KEYPLANE_ENGINE || "embedded";
  if (name !== "embedded" && name !== "cli") throw new Error("KEYPLANE_ENGINE must be `embedded` or `cli`");
  return name;
}

/** Path of the Pulumi CLI on the `PATH`, or `undefined` if it is not installed. */
export function pulumiOnPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const names = process.platform === "win32" ? ["pulumi.exe"] : ["pulumi"];
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** The command and first arguments that start an engine. The same Pulumi arguments follow for both engines. */
export function engineCommand(engine: EngineName): readonly [string, ...string[]] {
  if (engine === "embedded") return [process.execPath, compiledModule("engine", "main.js")];
  const pulumi = pulumiOnPath();
  if (pulumi === undefined)
    throw new Error("the Pulumi CLI is not on the PATH: install it, or use the embedded engine");
  return [pulumi];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
