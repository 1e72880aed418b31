// Runs in a row's folder, on the row's Node, with the installed package. Calls Pulumi's own plugin host over gRPC, as
// an engine does, to create, read and delete a key.
const assert = require("node:assert/strict");
const { dirname, join } = require("node:path");
const { startControlPlane } = require("keyplane/testing");

const engineOf = (file) =>
  require(join(dirname(require.resolve("keyplane/package.json")), "dist/testing/engine", file));
const { DynamicHost } = engineOf("provider/host.js");
const { call } = engineOf("provider/plugin-process.js");
const { PulumiSdk } = engineOf("program/pulumi-sdk.js");

const sdk = new PulumiSdk(__dirname);
const base = {
  __provider: 'exports.handler=()=>require("keyplane/provider").ApiKey',
  resourceUrn: "urn:pulumi:dev::compat::pulumi-nodejs:dynamic/keyplane:ApiKey::app",
};
const struct = (values) => sdk.struct.fromJavaScript(values);

async function main() {
  const plane = await startControlPlane({ clock: { mode: "real" } });
  const engine = await startEngine();
  const host = DynamicHost.spawn({
    sdk,
    directory: __dirname,
    engineAddress: engine.address,
    config: { "keyplane:baseUrl": plane.url, "keyplane:apiKey": plane.apiKey },
    env: process.env,
    started: () => {},
    printed: () => {},
  });
  try {
    await exercise(await host.client, plane);
  } finally {
    host.stop();
    engine.stop();
    await plane.close();
  }
}

async function exercise(client, plane) {
  const { CheckRequest, CreateRequest, DiffRequest, ReadRequest, DeleteRequest } = sdk.provider;

  const check = (news) => {
    const request = new CheckRequest().setOlds(struct({})).setNews(struct(news));
    return call((done) => client.check(request, done));
  };
  const wrong = await check({ ...base, rotateAfter: "soon" });
  assert.deepEqual(
    wrong.getFailuresList().map((failure) => failure.getProperty()),
    [""],
  );
  assert.equal(await plane.count(), 0);

  // The check chooses the mark in the key's name, and the engine passes it on.
  const checked = async () => ({ ...(await check(base)).getInputs().toJavaScript(), ...base });
  const create = (given) => call((done) => client.create(new CreateRequest().setProperties(struct(given)), done));
  const inputs = await checked();
  const created = await create(inputs);
  const id = created.getId();
  const outputs = outputsIn(created);
  assert.deepEqual(
    (await plane.liveKeys()).map((key) => String(key.id)),
    [id],
  );
  assert.ok((await plane.secretsEverIssued()).includes(outputs.key));
  assert.equal(outputs.__provider, base.__provider);
  assert.equal(outputs.name, `app-${inputs.__suffix}`);

  const diff = new DiffRequest()
    .setId(id)
    .setOlds(struct(outputs))
    .setNews(struct({ ...inputs, namePrefix: "other" }));
  assert.deepEqual((await call((done) => client.diff(diff, done))).getReplacesList(), ["namePrefix"]);

  const read = () => call((done) => client.read(new ReadRequest().setId(id).setProperties(struct(outputs)), done));
  assert.deepEqual(outputsIn(await read()), outputs);
  await call((done) => client.delete(new DeleteRequest().setId(id).setProperties(struct(outputs)), done));
  assert.deepEqual(await plane.liveKeys(), []);
  assert.equal((await read()).getId(), "");

  // A key that is not ready is recorded despite the error, so that it can be resumed or deleted.
  await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "start_compute", outcome: "failed" }] });
  const recorded = notReadyIn(await create(await checked()).catch((error) => error));
  assert.deepEqual(
    (await plane.liveKeys()).map((key) => String(key.id)),
    [recorded.getId()],
  );
  assert.equal(recorded.getProperties().toJavaScript().__provider, base.__provider);

  // The host does not tell its providers about a cancelled run. keyplane observes the call lookup of gRPC's server.
  await plane.rules.add({ route: "POST /api_keys", operations: [{ action: "start_compute", runningMs: null }] });
  const waiting = create(await checked()).catch((error) => error);
  while ((await plane.liveKeys()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  await call((done) => client.cancel(new sdk.empty(), done));
  assert.match(
    notReadyIn(await waiting)
      .getReasonsList()
      .join(),
    /aborted/,
  );
}

/** Returns the outputs in an answer, with the secret of the key as the engine passes it back: without its mark. */
function outputsIn(answer) {
  const { key, ...outputs } = answer.getProperties().toJavaScript();
  return { ...outputs, key: key.value };
}

/** Returns what a failed call reports about a key that exists but is not ready. */
function notReadyIn(failure) {
  const [bytes] = failure.metadata.get("grpc-status-details-bin");
  const [detail] = sdk.status.Status.deserializeBinary(bytes).getDetailsList();
  return sdk.provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
}

/** An engine that receives the host's messages. Without an engine, the provider sends no requests. */
async function startEngine() {
  const { grpc, engineGrpc, empty } = sdk;
  const server = new grpc.Server();
  const handlers = Object.keys(engineGrpc.EngineService).map((name) => [
    name,
    (_call, done) => done(null, new empty()),
  ]);
  server.addService(engineGrpc.EngineService, Object.fromEntries(handlers));
  const credentials = grpc.ServerCredentials.createInsecure();
  const port = await new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { address: `127.0.0.1:${port}`, stop: () => server.forceShutdown() };
}

main();
