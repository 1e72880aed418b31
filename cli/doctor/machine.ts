import { Pulumi, PulumiError } from "../../provider/stack/pulumi";
import { type Finding, fail, ok, warn } from "./finding";
import { passedOn } from "./run-apart";

const VERSION_TIMEOUT_MS = 15_000;

export function checkNode(version: string = process.versions.node): Finding {
  const least = lowerBound(ownPackage().engines.node);
  if (isAtLeast(version, least)) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is too old`, `Install Node ${least} or newer.`);
}

/** Runs the Pulumi CLI that runs ask: `KEYPLANE_PULUMI`, else `pulumi` on the PATH. */
export async function checkPulumiCli(): Promise<Finding> {
  try {
    const printed = await new Pulumi({ timeoutMs: VERSION_TIMEOUT_MS, env: passedOn() }).version();
    const version = /^v?(\d+\.\d+\.\d+\S*)/.exec(printed.trim())?.[1];
    if (version !== undefined) return ok("pulumi-cli", `pulumi ${version}`);
  } catch (error) {
    if (!(error instanceof PulumiError)) throw error;
    if (error.problem === "not found") {
      const says = process.env.KEYPLANE_PULUMI ? "KEYPLANE_PULUMI names no file" : "`pulumi` is not on the PATH";
      const remedy =
        "Install the Pulumi CLI, or set KEYPLANE_PULUMI to its path. Tests with keyplane/testing work without it.";
      return warn("pulumi-cli", says, remedy);
    }
  }
  const remedy = "Run it to see the error, or reinstall the CLI.";
  return warn("pulumi-cli", "`pulumi version` does not print a version", remedy);
}

interface OwnPackage {
  readonly engines: { readonly node: string };
  readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

/** This package's package.json. */
export function ownPackage(): OwnPackage {
  return require("keyplane/package.json") as OwnPackage;
}

/** Whether a version is at least another one. Ignores everything after a hyphen. */
export function isAtLeast(version: string, least: string): boolean {
  const [numbers = ""] = version.split("-", 1);
  return numbers.localeCompare(least, "en", { numeric: true }) >= 0;
}

/** Returns the lower bound of a range such as `>=3.150.0 <4`. */
export function lowerBound(range: string): string {
  return /\d{1,6}\.\d{1,6}\.\d{1,6}/.exec(range)?.[0] ?? "0.0.0";
}
