import type { Command } from "commander";
import { conceal } from "../../provider/secrets";
import { credentialsIn } from "../../provider/settings/settings";
import { PulumiError } from "../../provider/stack/pulumi";
import { counted } from "../../provider/text";
import { type CommandRun, EXIT } from "../command-run";
import { paint, plain, print, printJson } from "../output";
import { explainFailure, pulumiIn, readStackName, shownStack } from "../state/pulumi-stack";
import { stateIn } from "../state/states";
import { type Finding, fail, ok, warn } from "./finding";
import { checkService } from "./service";
import { checkSettings, type StackConfig } from "./settings";

interface DoctorFlags {
  readonly stack?: string;
  readonly json?: true;
}

/** `keyplane doctor`: checks what can prevent programs from working. */
export function addDoctor(program: Command, run: CommandRun): void {
  program
    .command("doctor")
    .description("checks what can stop a run of the program in this folder, and says what to do")
    .option("--stack <name>", "the stack to check (default: the configuration of the selected one)")
    .option("--json", "prints JSON")
    .action((flags: DoctorFlags) => doctor(flags, run));
}

async function doctor(flags: DoctorFlags, run: CommandRun): Promise<void> {
  // Loaded only here, because other commands need no YAML.
  const { checkNode, checkProgram } = await import("./program.js");
  const folder = process.cwd();
  const name = flags.stack === undefined ? undefined : readStackName(flags.stack);
  const [cli, ofStack, config] = await Promise.all([
    checkPulumiCli(),
    name === undefined ? undefined : checkStack(name),
    readConfig(name ?? process.env.PULUMI_STACK),
  ]);
  const text = (setting: string) => config.settings.get(setting)?.text;
  for (const credential of credentialsIn(text).values()) conceal(credential);
  const settings = checkSettings(config, { isNamed: name !== undefined });
  const [ofProgram, ...services] = await Promise.all([
    checkProgram(folder, [...config.settings.keys()]),
    ...settings.accounts.map((each) => checkService(each, run.signal)),
  ]);
  run.signal.throwIfAborted();
  const found = [
    checkNode(),
    cli,
    ...(ofStack === undefined ? [] : [ofStack]),
    ...settings.findings,
    ...services.flat(),
    ...ofProgram,
  ];
  const failed = found.filter(({ verdict }) => verdict === "fail").length;
  const warned = found.filter(({ verdict }) => verdict === "warn").length;
  if (failed > 0) run.exitCode = EXIT.failed;
  if (flags.json) return printJson({ ok: failed === 0, findings: found });
  for (const finding of found) printFinding(finding);
  print("");
  print(failed + warned === 0 ? "No problems found." : `${counted(failed, "error")}, ${counted(warned, "warning")}.`);
}

const TONES = { ok: "good", warn: "warn", fail: "bad" } as const;

function printFinding({ check, verdict, says, remedy }: Finding): void {
  print(paint(TONES[verdict], verdict.padEnd(4)), `  ${check.padEnd(11)} ${plain(says)}`);
  if (remedy !== undefined) print(`${" ".repeat(18)}-> ${remedy}`);
}

/** Runs the Pulumi CLI that runs ask: `KEYPLANE_PULUMI`, else `pulumi` on the PATH. */
async function checkPulumiCli(): Promise<Finding> {
  try {
    const version = /^v?(\d+\.\d+\.\d+\S*)/.exec((await pulumiIn().version()).trim())?.[1];
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

/** The configuration that a run of the stack has, decrypted: of Pulumi.yaml, of the stack's file, and of Pulumi ESC. */
async function readConfig(stack: string | undefined): Promise<StackConfig> {
  try {
    const config = await pulumiIn().config(stack);
    const own = [...config].filter(([name]) => name.startsWith("keyplane:"));
    return { settings: new Map(own.map(([name, value]) => [name.slice("keyplane:".length), value])) };
  } catch (error) {
    return { settings: new Map(), unread: explainFailure(error) };
  }
}

/** Reads the state and the history of a stack, as runs do, and checks what can keep its next run from working. */
async function checkStack(name: string): Promise<Finding> {
  try {
    const pulumi = pulumiIn();
    const state = stateIn(shownStack(name), await pulumi.state(name));
    await pulumi.history(name);
    const shown = state.stack || state.source;
    if (state.underWay > 0) {
      const remedy =
        "If no run is in progress, run `pulumi up`: it finishes what the run began. Then run `npx keyplane sweep` with the same " +
        "--stack: it says what is left in an account or organization where that `up` changed no key. The state keeps its pending creations " +
        "of creations: after both, `pulumi refresh --clear-pending-creates` removes them.";
      return warn("stack", `${shown} was saved during a run, or after a run was killed`, remedy);
    }
    return ok("stack", `${shown} holds ${counted(state.keys.length, "key")}`);
  } catch (error) {
    const { problem, why, remedy } = explainFailure(error);
    // Without the CLI, everything else can still be checked.
    const verdict = problem === "not found" ? warn : fail;
    const effect = "Until then, orphans of interrupted runs stay live, and so do previous keys.";
    return verdict("stack", `${shownStack(name)} was not read: ${why}`, `${remedy}. ${effect}`);
  }
}
