import { Command, CommanderError } from "commander";
import { isKeyplaneError, messageOf } from "../provider/errors";
import { conceal } from "../provider/secrets";
import { credentialsIn } from "../provider/settings/settings";
import { VERSION } from "../provider/version";
import { CommandRun, EXIT, EXIT_CODES, type ExitCode } from "./command-run";
import { addDoctor } from "./doctor/doctor";
import { addIdentify } from "./identify/identify";
import { addKeys } from "./keys/keys";
import { printError, printInfo, printJson } from "./output";
import { addReap } from "./reap/reap";
import { addReport } from "./report/report";
import { addRevoke } from "./revoke/revoke";
import { addServe } from "./serve";
import { addSweep } from "./sweep/sweep";
import { UsageError, usageErrorOf } from "./usage-error";

const commands: Readonly<Record<string, (program: Command, run: CommandRun) => void>> = {
  keys: addKeys,
  report: addReport,
  sweep: addSweep,
  reap: addReap,
  revoke: addRevoke,
  identify: addIdentify,
  doctor: addDoctor,
  serve: addServe,
};

function programOf(run: CommandRun): Command {
  const program = new Command("keyplane")
    .description("Manages the API keys of Neon, and of services with the same interface.")
    .version(VERSION, "-v, --version", "prints the version")
    .helpOption("-h, --help", "shows help, also for a command")
    .helpCommand("help [command]", "shows help for a command")
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({
      // The error is reported below, without repeating the arguments.
      outputError: () => {},
    });
  for (const add of Object.values(commands)) add(program, run);
  return program;
}

/** Reports an error as text or, with `--json`, as JSON. Returns the exit code. */
function report(thrown: unknown, run: CommandRun, args: readonly string[]): ExitCode {
  // Commander also throws for help and the version.
  if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.ok;
  if (run.interrupted) return EXIT.interrupted;
  const error = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown;
  const message = messageOf(error);
  const wrong = error instanceof UsageError || (isKeyplaneError(error) && ["input", "config"].includes(error.kind));
  printError(error);
  // Only a known command is repeated: any other word could be a secret.
  const command = Object.keys(commands).find((name) => name === args[0]);
  if (error instanceof UsageError) printInfo(`Try keyplane ${command === undefined ? "" : `${command} `}--help`);
  const code = isKeyplaneError(error) ? error.code : wrong ? "KP-USAGE" : "KP-INTERNAL";
  if (args.includes("--json")) printJson({ error: { code, message } });
  return wrong ? EXIT.usage : EXIT.failed;
}

/** Runs one command line. Prints its result or its error, and returns the exit code. */
export async function keyplane(args: readonly string[]): Promise<ExitCode> {
  const run = new CommandRun();
  for (const credential of credentialsIn(() => undefined).values()) conceal(credential);
  try {
    if (args.length === 0) throw new UsageError("no command was given");
    await programOf(run).parseAsync(args, { from: "user" });
    return run.exitCode;
  } catch (error) {
    return report(error, run, args);
  }
}
