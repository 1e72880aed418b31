import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { terminalColumns } from "../../provider/terminal-columns";
import { counted } from "../../provider/text";
import { type AccountFlags, withAccount } from "../account";
import { type CommandRun, EXIT } from "../command-run";
import { readStackName } from "../state/pulumi-stack";
import { LiveLines, paint, plain, print, printJson, wrapped } from "../terminal";
import { UsageError } from "../usage-error";
import type { Finding } from "./finding";
import { checkNode, checkPulumiCli } from "./machine";
import { checkNamedAccount, checkService } from "./service";
import { checkNamedAccounts, checkSettings } from "./settings";
import { checkStack, openCredentials } from "./stack";

interface DoctorFlags extends AccountFlags {
  readonly program: string;
  readonly stack?: readonly string[];
  readonly json?: true;
}

const STACK = new Option(
  "--stack <name>",
  "the stack whose configuration and state are read (default: PULUMI_STACK, or the only one)",
);
// Otherwise the parser would call another name an argument too many, or take the last one.
STACK.variadic = true;

/** `keyplane doctor`: checks everything that can prevent programs from working. */
export function addDoctor(program: Command, run: CommandRun): void {
  const command = program
    .command("doctor")
    .description("checks settings, service, credential, versions and a program's folder, and says what to do")
    .option("--program <dir>", "folder of the Pulumi program", ".")
    .addOption(STACK)
    .option("--json", "prints JSON");
  withAccount(command).action((flags: DoctorFlags) => doctor(flags, run));
}

async function doctor(flags: DoctorFlags, run: CommandRun): Promise<void> {
  // Loaded only here, so that other commands do not load a YAML parser.
  const [{ checkProgram }, { stackConfigIn }] = await Promise.all([
    import("./program.js"),
    import("./stack-config.js"),
  ]);
  const { stack: [stack, ...more] = [], program, ...account } = flags;
  if (more.length > 0) {
    throw new UsageError(
      `--stack: doctor checks one stack at a time, but ${more.length + 1} were given. Run it once for each stack`,
    );
  }
  const folder = resolve(program);
  const name = stack === undefined ? undefined : readStackName(stack);
  const stored = stackConfigIn(folder, stack);
  const live = new LiveLines();
  live.show(["checking ..."]);
  const [ofStack, config] = await Promise.all([
    name === undefined ? undefined : checkStack(name, folder),
    openCredentials(stored, { isNamed: name !== undefined, folder }),
  ]);
  if (!stored.hasFile && ofStack !== undefined && ofStack.verdict !== "ok") {
    live.clear();
    throw new UsageError(`--stack: the folder has no Pulumi.STACK.yaml of that name, and ${ofStack.says}`);
  }
  const { findings, settings } = checkSettings(account, config);
  const named = account.account === undefined ? checkNamedAccounts(config) : undefined;
  const [cli, service, ofProgram, ...others] = await Promise.all([
    checkPulumiCli(),
    settings === undefined ? [] : checkService(settings, run.signal),
    checkProgram(folder, config.settings),
    ...Array.from(named?.accounts ?? [], ([name, its]) => checkNamedAccount(name, its, run.signal)),
  ]);
  live.clear();
  run.signal.throwIfAborted();
  const stacks = ofStack === undefined ? [] : [ofStack];
  const found = [checkNode(), cli, ...stacks, ...findings, ...service];
  found.push(...(named?.findings ?? []), ...others, ...ofProgram);
  // Of repeated findings of the same check, the last one counts.
  const all = [...new Map(found.map((finding) => [finding.check, finding])).values()];
  const failed = all.filter(({ verdict }) => verdict === "fail").length;
  const warned = all.filter(({ verdict }) => verdict === "warn").length;
  if (flags.json) printJson({ ok: failed === 0, findings: all });
  else {
    for (const finding of all) printFinding(finding);
    print("");
    print(failed + warned === 0 ? "No problems found." : `${counted(failed, "error")}, ${counted(warned, "warning")}.`);
  }
  if (failed > 0) run.exitCode = EXIT.failed;
}

const TONES = { ok: "good", warn: "warn", fail: "bad" } as const;
const INDENT = 18;

function printFinding({ check, verdict, says, remedy }: Finding): void {
  const width = terminalColumns(process.stdout) - INDENT;
  const [first = "", ...rest] = wrapped(plain(says), width);
  print(paint(TONES[verdict], verdict.padEnd(4)), `  ${check.padEnd(INDENT - 7)} ${first}`);
  for (const line of [...rest, ...(remedy === undefined ? [] : wrapped(`-> ${remedy}`, width))]) {
    print(" ".repeat(INDENT) + line);
  }
}
