// Runs the programs of replays one after the other, as Pulumi's Automation API runs inline programs. A process for each
// would take a hundred times as long as the program itself.
const { setTimeout: sleep } = require("node:timers/promises");
const { LanguageServer } = require("@pulumi/pulumi/automation/server");
const { RunRequest } = require("@pulumi/pulumi/proto/language_pb");

// The program of a failed run can go on for a while. An error that it throws then would be attributed to the next
// program.
const MAX_WAIT_MS = 5_000;
const AFTER_FAILURE_MS = 100;

process.on("unhandledRejection", () => undefined);

let last = Promise.resolve();
process.on("message", (message) => {
  last = Promise.race([last, sleep(MAX_WAIT_MS, undefined, { ref: false })]).then(() => run(message));
});

function run({ id, entry, address, project, stack, preview, parallel, config }) {
  const request = new RunRequest();
  request.setProject(project).setStack(stack).setDryrun(preview).setParallel(parallel).setOrganization("organization");
  request.setMonitorAddress(address).setArgsList([address]);
  for (const [key, value] of Object.entries(config)) request.getConfigMap().set(key, value);
  delete require.cache[entry];
  return new Promise((resolve) => {
    new LanguageServer(async () => require(entry)).run({ request }, (error) => {
      process.send({ id, error: error?.message });
      if (error) setTimeout(resolve, AFTER_FAILURE_MS);
      else resolve();
    });
  });
}

// The runner ends when its replay ends.
process.on("disconnect", () => process.exit());
