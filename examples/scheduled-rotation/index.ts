// Rotates the keys that are due and reports the result: `npm start -- STACK`, run by a schedule, such as every day.
import { type EngineEvent, LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";

import program = require("./program");

/** Returns the names of the changed keys, and the reason for each change by age. */
function report(events: readonly EngineEvent[]): string[] {
  const nameOf = (urn: string) => urn.split("::").at(-1) ?? urn;
  return events.flatMap(({ resOutputsEvent: done, diagnosticEvent: said }) => {
    if (done?.metadata.type.endsWith("keyplane:RotatingApiKey") && done.metadata.op !== "same") {
      return [`${nameOf(done.metadata.urn)}: ${done.metadata.op}`];
    }
    // keyplane's messages about a key: which key replaces which, and who still uses the previous one.
    const isOurs = said?.urn?.includes("keyplane:RotatingApiKey") && !said.ephemeral;
    return isOurs && said !== undefined ? [`${nameOf(said.urn ?? "")}: ${said.message.trim()}`] : [];
  });
}

/** Returns the Pulumi CLI, which the Automation API runs. An error says what is wrong with it. */
async function pulumiCli(): Promise<PulumiCommand> {
  return await PulumiCommand.get().catch((error: Error) => {
    const wrong = error.message.includes("ENOENT")
      ? "`pulumi` is not on the PATH: install it, or deploy program.ts of this folder with any engine"
      : `the \`pulumi\` on the PATH cannot be used: ${error.message.trim()}`;
    throw new Error(`the Automation API drives the Pulumi CLI, and ${wrong}`);
  });
}

async function main(stackName: string): Promise<void> {
  const pulumiCommand = await pulumiCli();
  const projectName = "keyplane-scheduled-rotation";
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName, program }, { pulumiCommand });

  // Reports what is due first, so that a log shows it even if the run fails.
  const { changeSummary } = await stack.preview();
  console.log(`due: ${JSON.stringify(changeSummary)}`);

  const events: EngineEvent[] = [];
  const { outputs } = await stack.up({ onEvent: (event) => events.push(event) });
  for (const line of report(events)) console.log(line);
  console.log(`next: ${JSON.stringify(outputs.next?.value)}`);

  // Fails if anything is left to do. The refresh finds keys that somebody has revoked in the console.
  await stack.preview({ refresh: true, expectNoChanges: true });
  console.log("check: each key is live, and nothing is left to do");
}

main(process.argv[2] ?? "dev").catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
