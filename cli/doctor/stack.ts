import { conceal } from "../../provider/secrets";
import { credentialsIn } from "../../provider/settings/settings";
import { stackState } from "../../provider/stack/stack-state";
import { counted } from "../../provider/text";
import { explainFailure, pulumiFor, readStackName, type StackName, shownStack } from "../state/pulumi-stack";
import { type Finding, fail, ok, warn } from "./finding";
import type { StackConfig } from "./stack-config";

/** Reads the state of a stack with the Pulumi CLI, and checks what can keep its next run from working. */
export async function checkStack(name: StackName, folder: string): Promise<Finding> {
  try {
    const state = stackState(shownStack(name), await pulumiFor(name, folder).state(name.stack));
    const shown = state.stack || state.source;
    if (state.underWay > 0) {
      const remedy = "If no run is in progress, run `pulumi up`: it finishes or revokes what the run began.";
      return warn("stack", `${shown} was saved during a run, or after a run was killed`, remedy);
    }
    if (state.foreign.length > 0) {
      const remedy =
        "If it was renamed, set keyplane:renamedFrom before the next `pulumi up`. A copy gets keys of its own.";
      return warn("stack", `${shown} was copied or renamed, and its keys may belong to the original stack`, remedy);
    }
    const { size } = new Set(state.held.map(({ id }) => id));
    return ok("stack", `${shown} holds ${counted(size, "key")}`);
  } catch (error) {
    const { problem, why, remedy } = explainFailure(error);
    // Without the CLI, everything else can still be checked.
    const verdict = problem === "not found" ? warn : fail;
    return verdict("stack", `${shownStack(name)} was not read: ${why}`, `${remedy}.`);
  }
}

/** The settings that `doctor` decrypts: what it needs to test the service. */
const NEEDED = ["apiKey", "accounts"] as const;

/**
 * Decrypts the credentials in a stack's configuration with the Pulumi CLI. It asks only if the user has named the stack
 * or given its passphrase, because the CLI may send a request. What stays encrypted is in `sealed`, with the reason.
 */
export async function openCredentials(
  config: StackConfig,
  terms: { readonly isNamed: boolean; readonly folder: string; readonly env?: NodeJS.ProcessEnv },
): Promise<StackConfig> {
  const { isNamed, folder, env = process.env } = terms;
  const needed = NEEDED.filter((name) => config.settings.get(name)?.isSecret);
  const hasPassphrase = env.PULUMI_CONFIG_PASSPHRASE !== undefined || Boolean(env.PULUMI_CONFIG_PASSPHRASE_FILE);
  if (needed.length === 0 || !(isNamed || hasPassphrase)) return config;
  const name = readStackName(config.stack, isNamed ? "--stack" : "PULUMI_STACK");
  const pulumi = pulumiFor(name, folder);
  try {
    const settings = new Map(config.settings);
    for (const setting of needed) {
      const { file = "" } = config.settings.get(setting) ?? {};
      settings.set(setting, { file, isSecret: true, text: await pulumi.secret(`keyplane:${setting}`, name.stack) });
    }
    for (const credential of credentialsIn((setting) => settings.get(setting)?.text, {}).values()) conceal(credential);
    return { ...config, settings };
  } catch (error) {
    return { ...config, sealed: explainFailure(error) };
  }
}
