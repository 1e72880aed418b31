// Asks the engine that runs this provider for the state of the stack `dev` as it is saved now.
const { execFile } = require("node:child_process");
const { promisify } = require("node:util");

const URN_PREFIX = "urn:pulumi:dev::proj::";

/**
 * The resources by name and the pending operations, without providers and without what differs from run to run. In a
 * process that serves many runs, `cwd` and `backend` are those of the run.
 */
async function exportedState({ cwd, backend = process.env.PULUMI_BACKEND_URL } = {}) {
  const { KEYPLANE_PULUMI: command = "pulumi", PULUMI_CONFIG_PASSPHRASE: _, ...env } = process.env;
  const [file, ...first] = command.endsWith(".js") ? [process.execPath, command] : [command];
  const args = [...first, "stack", "export", "--stack", "organization/proj/dev"];
  const { stdout } = await promisify(execFile)(file, args, { cwd, env: { ...env, PULUMI_BACKEND_URL: backend } });
  const { resources = [], pending_operations: pending = [] } = JSON.parse(stdout).deployment;
  const rows = resources.filter(({ type }) => !type.startsWith("pulumi:providers:")).map(rowOf);
  return {
    resources: rows.sort((a, b) => (`${a.urn} ${a.id}` < `${b.urn} ${b.id}` ? -1 : 1)),
    pending: pending.map(({ type, resource }) => ({ type, ...rowOf(resource) })),
  };
}

function rowOf({ urn, id, delete: replaced, inputs, dependencies, created, modified }) {
  return {
    urn: shortUrn(urn),
    id,
    delete: replaced,
    inputs: inputs && { ...inputs, __provider: undefined },
    dependencies: dependencies?.map(shortUrn).sort(),
    changed: created && created !== modified,
  };
}

function shortUrn(urn) {
  return urn.replace(URN_PREFIX, "");
}

module.exports = { exportedState };
