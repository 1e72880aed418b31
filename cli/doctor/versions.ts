import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Fields of this package's package.json. */
interface OwnPackage {
  readonly engines: { readonly node: string };
  readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

/** Reads this package's package.json. Sources and compiled files are at different depths below it. */
export function ownPackage(): OwnPackage {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as OwnPackage & { name?: string };
      if (found.name === "keyplane") return found;
    } catch {
      // Not in this folder.
    }
  }
  throw new Error("keyplane's own package.json is missing: install it again");
}

/** Whether a version is at least another one. Ignores everything after a hyphen. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, need] = [numbersOf(version), numbersOf(least)];
  const at = need.findIndex((part, index) => have[index] !== part);
  return at < 0 || (have[at] ?? 0) > (need[at] ?? 0);
}

/** Returns the lower bound of a range such as `>=3.150.0 <4`. */
export function lowerBound(range: string): string {
  return /\d{1,6}\.\d{1,6}\.\d{1,6}/.exec(range)?.[0] ?? "0.0.0";
}

function numbersOf(version: string): number[] {
  return (version.split("-", 1)[0] ?? "").split(".").map(Number);
}
