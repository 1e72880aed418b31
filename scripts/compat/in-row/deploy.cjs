// Runs in a row's folder, on the row's Node, with the installed package. Deploys the program in the folder twice and
// destroys it.
const assert = require("node:assert/strict");
const { startControlPlane, Workspace } = require("keyplane/testing");

async function main() {
  const plane = await startControlPlane({ clock: { mode: "real" } });
  await plane.state.createProject({ name: "shop" });
  const workspace = await Workspace.create({
    program: __dirname,
    serializer: "eager",
    config: { "keyplane:baseUrl": plane.url },
    secretConfig: { "keyplane:apiKey": plane.apiKey },
  });
  const requestsOf = async (work) => {
    const since = (await plane.log()).length;
    await work();
    return (await plane.log({ since })).map(({ method, route }) => `${method} ${route}`).sort();
  };
  try {
    const made = await requestsOf(() => workspace.up());
    assert.equal(made.filter((request) => request === "POST /api_keys").length, 1, made.join());
    const [live, ...others] = await plane.liveKeys();
    assert.deepEqual(others, []);
    const outputs = await workspace.outputs();
    assert.deepEqual([outputs.keyName, outputs.key], [live.name, "[secret]"]);
    assert.equal(typeof outputs.region, "string");
    const { key } = await workspace.outputs({ showSecrets: true });
    assert.ok((await plane.secretsEverIssued()).includes(key));

    let changes;
    const again = await requestsOf(async () => {
      changes = (await workspace.up()).changes;
    });
    // The resources send no requests, but every run reads a data source.
    assert.deepEqual([...new Set(again)], ["GET /projects"]);
    assert.deepEqual(changes, []);

    await workspace.destroy();
    assert.deepEqual(await plane.liveKeys(), []);
  } finally {
    // Fails if a secret was left in plain text.
    await workspace.remove();
    await plane.close();
  }
}

main();
