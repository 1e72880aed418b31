// Executes the commands that the Automation API passes to `pulumi` on the embedded engine, which connects to the inline
// program as the Pulumi CLI does.
const { credentials } = require("@grpc/grpc-js");
const { LanguageRuntimeClient } = require("@pulumi/pulumi/proto/language_grpc_pb");
const { RunRequest } = require("@pulumi/pulumi/proto/language_pb");
const { deploy } = require("../../../dist/testing/engine/command/deploy-command");
const { DynamicHost } = require("../../../dist/testing/engine/provider/host");
const { Program } = require("../../../dist/testing/engine/program/program");
const { OpenStack, placeOf } = require("../../../dist/testing/engine/command/stack");
const { manage } = require("../../../dist/testing/engine/command/stack-command");
const { parseFlags } = require("../../../dist/testing/engine/command/flags");

const DEPLOY = new Set(["up", "preview", "refresh", "destroy"]);

/** Removes a flag from the arguments. Returns its value. */
function taken(args, name) {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at < 0) return undefined;
  const attached = args[at].includes("=");
  const [flag, value] = args.splice(at, attached ? 1 : 2);
  return attached ? flag.slice(name.length + 1) : value;
}

/** A program that runs in the process of the Automation API. */
function inlineProgram(address, { project, stack, preview, parallel, address: engine, config }) {
  const request = new RunRequest();
  request
    .setProject(project.name)
    .setStack(stack)
    .setDryrun(preview)
    .setParallel(parallel)
    .setOrganization("organization");
  request.setMonitorAddress(engine).setArgsList([engine]).setConfigsecretkeysList(config.secretKeys);
  for (const [key, value] of Object.entries(config.values)) request.getConfigMap().set(key, value);
  const client = new LanguageRuntimeClient(address, credentials.createInsecure());
  let call;
  const ended = new Promise((resolve) => {
    call = client.run(request, (error, response) => {
      client.close();
      const message = error?.details || response?.getError();
      resolve(message ? new Error(message) : undefined);
    });
  });
  return { ended, stop: () => call.cancel() };
}

async function main([command, ...args]) {
  const address = taken(args, "--client");
  taken(args, "--exec-kind");
  if (command === "version") process.stdout.write("v3.260.0\n");
  else if (DEPLOY.has(command)) {
    const program = (options) => (address === undefined ? Program.start(options) : inlineProgram(address, options));
    const { env, stdout } = process;
    const on = process.on.bind(process);
    const off = process.off.bind(process);
    const processes = { program, host: DynamicHost.spawn };
    const succeeded = await deploy(command, args, { env, stdout, on, off, exit: process.exit, processes });
    if (!succeeded) process.exitCode = 255;
  } else if (command === "stack" && args[0] === "select") {
    const place = await placeOf(parseFlags(args, {}), process.env);
    const exists = await place.backend.has(place.project.name, place.stack);
    if (!exists) throw new Error(`no stack named '${place.stack}' found`);
    await OpenStack.open(place, process.env);
  } else {
    // The Automation API wants the configuration of a run decrypted, which no program of these tests reads.
    const asked = args.filter((arg) => command !== "stack" || args[0] !== "history" || arg !== "--show-secrets");
    await manage([command, asked.shift()], asked, process.env);
  }
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 255;
});
