import type { Command } from "commander";
import { withAccount } from "../account";
import type { CommandRun } from "../command-run";
import { readAge, UNUSED_FOR } from "../duration-option";
import type { ReportFlags } from "./make-report";

/** `keyplane report`: joins the lists of keys with the states of stacks. */
export function addReport(program: Command, run: CommandRun): void {
  const command = program
    .command("report")
    .description("shows each key with its stack, its consumers, its dates and what happens to it next")
    .option("--state <path...>", "states of your stacks: files, or folders such as that of a file backend")
    .option("--stack <name...>", "stacks to export with the Pulumi CLI")
    .option("--organization <id...>", "also lists the keys of these organizations")
    .option("--unused-for <age>", `flags keys that were not used for this long (default: ${UNUSED_FOR.text})`, readAge)
    .option("--out <file>", "writes the report as one HTML page, which needs nothing else")
    .option("--json", "prints JSON");
  withAccount(command).action(async (flags: ReportFlags) => {
    // Loaded on demand, so that other commands start quickly.
    const { makeReport } = await import("./make-report.js");
    await makeReport(flags, run);
  });
}
