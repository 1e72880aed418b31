import { conceal } from "../../provider/secrets";
import { credentialsIn } from "../../provider/settings/settings";
import { stackState } from "../../provider/stack/keys-in-state";
import { counted } from "../../provider/text";
import { explainFailure, pulumiIn, readStackName, shownStack } from "../state/pulumi-stack";
import { type Finding, fail, ok, warn } from "./finding";
import type { StackConfig } from "./stack-config";

/**
 * Reads the state and the history of a stack with the Pulumi CLI, as runs do to find keys that were left behind and to
 * retire previous keys, and checks what can keep its next run from working.
 */
export async function checkStack(name: string, folder: string): Promise<Finding> {
  try {
    const pulumi = pulumiIn(folder);
    const state = stackState(shownStack(name), await pulumi.state(name));
    await pulumi.history(name);
    const shown = state.stack || state.source;
    if (state.underWay > 0) {
      const remedy =
        "If no run is in progress, run `pulumi up`: it finishes or revokes what the run began. The state keeps its notes of " +
        "creations: after that, `pulumi refresh --clear-pending-creates` removes them.";
      return warn("stack", `${shown} was saved during a run, or after a run was killed`, remedy);
    }
    const { size } = new Set(state.held.map(({ id }) => id));
    return ok("stack", `${shown} holds ${counted(size, "key")}`);
  } catch (error) {
    const { problem, why, remedy } = explainFailure(error);
    // Without the CLI, everything else can still be checked.
    const verdict = problem === "not found" ? warn : fail;
    const effect = "Until then, keys that interrupted runs left behind stay live, and so do previous keys.";
    return verdict("stack", `${shownStack(name)} was not read: ${why}`, `${remedy}. ${effect}`);
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
  const pulumi = pulumiIn(folder);
  try {
    const settings = new Map(config.settings);
    for (const setting of needed) {
      const { file = "" } = config.settings.get(setting) ?? {};
      settings.set(setting, { file, isSecret: true, text: await pulumi.secret(`keyplane:${setting}`, name) });
    }
    for (const credential of credentialsIn((setting) => settings.get(setting)?.text, {}).values()) conceal(credential);
    return { ...config, settings };
  } catch (error) {
    return { ...config, sealed: explainFailure(error) };
  }
}
