import { type Finding, fail, ok, warn } from "./finding";
import { runApart } from "./run-apart";
import { isAtLeast, lowerBound, ownPackage } from "./versions";

const VERSION_TIMEOUT_MS = 15_000;

/** Checks whether this Node version can run keyplane. */
export function checkNode(version: string = process.versions.node): Finding {
  const least = lowerBound(ownPackage().engines.node);
  if (isAtLeast(version, least)) return ok("node", `Node ${version}`);
  return fail("node", `Node ${version} is too old`, `Install Node ${least} or newer.`);
}

/** Checks whether the Pulumi CLI is on the PATH. */
export async function checkPulumiCli(): Promise<Finding> {
  const env = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { error, stdout } = await runApart("pulumi", ["version"], { timeout: VERSION_TIMEOUT_MS, env });
  const version = /^v?(\d+\.\d+\.\d+\S*)/.exec(stdout.trim())?.[1];
  if (version !== undefined) return ok("pulumi-cli", `pulumi ${version}`);
  if (error?.code === "ENOENT") {
    return warn(
      "pulumi-cli",
      "`pulumi` is not on the PATH",
      "Install the Pulumi CLI to deploy programs. Tests with keyplane/testing work without it.",
    );
  }
  return warn(
    "pulumi-cli",
    "`pulumi version` does not print a version",
    "Run it to see the error, or reinstall the CLI.",
  );
}
