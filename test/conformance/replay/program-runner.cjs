// Runs the programs of replays one after the other, as Pulumi's Automation API runs inline programs. A process for each
// would take a hundred times as long as the program itself.
const { LanguageServer } = require("@pulumi/pulumi/automation/server");
const { RunRequest } = require("@pulumi/pulumi/proto/language_pb");

process.on("unhandledRejection", () => undefined);

process.on("message", ({ entry, address, project, stack, preview, parallel, config }) => {
  const request = new RunRequest();
  request.setProject(project).setStack(stack).setDryrun(preview).setParallel(parallel).setOrganization("organization");
  request.setMonitorAddress(address).setArgsList([address]);
  for (const [key, value] of Object.entries(config)) request.getConfigMap().set(key, value);
  delete require.cache[entry];
  new LanguageServer(async () => require(entry)).run({ request }, (error) => process.send({ error: error?.message }));
});

// The runner ends with its replay, or with a program that failed.
process.on("disconnect", () => process.exit());
