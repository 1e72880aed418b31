#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { isKeyplaneError, messageOf } from "../provider/errors";
import { redact } from "../provider/http";
import { credentialsIn } from "../provider/settings";
import { VERSION } from "../provider/version";
import { terminalColumns } from "../test/kit/terminal";
import { addDoctor } from "./doctor";
import { EXIT, type ExitCode } from "./exit-code";
import { addKeys } from "./keys";
import { addServe } from "./serve";
import { Session } from "./session";
import { addSweep } from "./sweep";
import { note, printJson } from "./terminal";
import { UsageError } from "./usage-error";
import { addWait } from "./wait";

const commands: Readonly<Record<string, (program: Command, session: Session) => void>> = {
  keys: addKeys,
  sweep: addSweep,
  wait: addWait,
  doctor: addDoctor,
  serve: addServe,
};

const EXIT_CODES = `
Exit codes: 0 all is well, 1 a problem was found or something failed, 2 wrong usage or settings, 130 ended by Ctrl+C.
`;

function programOf(session: Session): Command {
  const program = new Command("keyplane")
    .description("Looks after the API keys of a managed database platform: an inventory, a sweep, waits, a check-up.")
    .version(VERSION, "-v, --version", "prints the version")
    .helpOption("-h, --help", "tells more, also about a command")
    .helpCommand("help [command]", "tells more about a command")
    .addHelpText("after", EXIT_CODES)
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => terminalColumns(process.stdout),
      outputError: (text, write) => write(`keyplane: ${usageText(text)}Try keyplane --help\n`),
    });
  for (const add of Object.values(commands)) add(program, session);
  return program;
}

/** What is wrong with the command line, without values: one could be a key in the wrong place. */
function usageText(text: string): string {
  return text.replace(/^error: /, "").replace(/(--?[\w-]+)=[^'\s]*/g, "$1=...");
}

/** Says what went wrong, to people and, with `--json`, to machines, and how the process is to end. */
function report(error: unknown, session: Session, asJson: boolean): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (session.interrupted) return EXIT.interrupted;
  const message = redact(messageOf(error), credentialsIn(() => undefined).values());
  const wrong = error instanceof UsageError || (isKeyplaneError(error) && ["input", "config"].includes(error.kind));
  note(`keyplane: ${message}${error instanceof UsageError ? "\nTry keyplane --help" : ""}`);
  const code = isKeyplaneError(error) ? error.code : wrong ? "KP-USAGE" : "FAILED";
  if (asJson) printJson({ error: { code, message } });
  return wrong ? EXIT.usage : EXIT.failed;
}

async function main(args: readonly string[]): Promise<ExitCode> {
  const session = new Session();
  try {
    if (args.length === 0) throw new UsageError("a command is needed");
    await programOf(session).parseAsync(args, { from: "user" });
    return session.exitCode;
  } catch (error) {
    return report(error, session, args.includes("--json"));
  }
}

// A reader that has enough, such as `head`, is no failure.
process.stdout.on("error", () => process.exit(EXIT.ok));
main(process.argv.slice(2)).then((code) => {
  // Connections that are kept alive would hold the process up; what was printed has to be out by then.
  process.stdout.write("", () => process.exit(code));
});
