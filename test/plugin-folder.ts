import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../testing/engine/package-root";

/** What the bundle is made of. The compiler writes its record last. */
const SOURCES = ["dist/build.tsbuildinfo", "package-lock.json", "scripts/plugin/bundle.mjs"];

/** The folder of the provider plugin for all Pulumi languages. Builds it if it is older than its sources. */
export function pluginFolder(): string {
  const root = packageRoot();
  const built = changedAt(join(root, "bin", "pulumi-resource-keyplane"));
  if (!SOURCES.every((source) => changedAt(join(root, source)) < built)) {
    execFileSync(process.execPath, [join(root, "scripts", "plugin.mjs")], { stdio: "pipe" });
  }
  return join(root, "bin");
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}
