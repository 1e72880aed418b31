// Rotates what is due, and reports it: `npm start -- STACK`, run by a schedule, such as each night.
import { type EngineEvent, LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";

import program = require("./program");

/** The keys that a run has changed, by name, and why where a rule of time has decided. */
function report(events: readonly EngineEvent[]): string[] {
  const nameOf = (urn: string) => urn.split("::").at(-1) ?? urn;
  return events.flatMap(({ resOutputsEvent: done, diagnosticEvent: said }) => {
    if (done?.metadata.type.endsWith("keyplane:RotatingApiKey") && done.metadata.op !== "same") {
      return [`${nameOf(done.metadata.urn)}: ${done.metadata.op}`];
    }
    // What keyplane says of a key: which one replaces which, and who still uses the one before it.
    const isOurs = said?.urn?.includes("keyplane:RotatingApiKey") && !said.ephemeral;
    return isOurs && said !== undefined ? [`${nameOf(said.urn ?? "")}: ${said.message.trim()}`] : [];
  });
}

/** The Pulumi CLI, which the Automation API drives; an error says what is wrong with it. */
async function pulumiCli(): Promise<PulumiCommand> {
  return await PulumiCommand.get().catch((error: Error) => {
    const wrong = error.message.includes("ENOENT")
      ? "`pulumi` is not on the PATH: install it, or run the same keys with any engine, as the program.ts of this folder"
      : `the \`pulumi\` on the PATH cannot be used: ${error.message.trim()}`;
    throw new Error(`the Automation API drives the Pulumi CLI, and ${wrong}`);
  });
}

async function main(stackName: string): Promise<void> {
  const pulumiCommand = await pulumiCli();
  const projectName = "keyplane-scheduled-rotation";
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName, program }, { pulumiCommand });

  // Says what is due before anything is done, so that a log shows it even if the run fails.
  const { changeSummary } = await stack.preview();
  console.log(`due: ${JSON.stringify(changeSummary)}`);

  const events: EngineEvent[] = [];
  const { outputs } = await stack.up({ onEvent: (event) => events.push(event) });
  for (const line of report(events)) console.log(line);
  console.log(`next: ${JSON.stringify(outputs.next?.value)}`);
}

main(process.argv[2] ?? "dev").catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
