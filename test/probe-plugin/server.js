// Serves the probe: the process of `pulumi-resource-probe`.
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const grpc = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { Any } = require("google-protobuf/google/protobuf/any_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const proto = require("@pulumi/pulumi/proto/provider_pb.js");
const { Status } = require("@pulumi/pulumi/proto/status_pb.js");
const { exportedState } = require("../conformance/probe/exported-state");

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const world = JSON.parse(process.env.PROBE_WORLD || "{}");
const file = process.env.PROBE_LOG;
let cancelled = () => undefined;
const cancellation = new Promise((resolve) => {
  cancelled = resolve;
});

const secret = (value) => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value });
const plain = (value) => (value?.[SIGNATURE] ? plain(value.value) : value);
const differs = (a, b) => JSON.stringify(plain(a)) !== JSON.stringify(plain(b));
const struct = (values) => Struct.fromJavaScript(values);
const map = (message) => message?.toJavaScript();

const methods = {
  handshake(request) {
    log("Handshake", { ...request.toObject(), engineAddress: request.getEngineAddress() === process.argv[2] });
    if (world.noHandshake) throw failure("not implemented", grpc.status.UNIMPLEMENTED);
    return new proto.ProviderHandshakeResponse().setAcceptSecrets(world.acceptSecrets === true);
  },

  getPluginInfo() {
    return new PluginInfo().setVersion("1.0.0");
  },

  checkConfig(request) {
    const [olds, news] = [map(request.getOlds()), map(request.getNews())];
    log("CheckConfig", { urn: request.getUrn(), name: request.getName(), type: request.getType(), olds, news });
    if (news.invalid) return failures(new proto.CheckResponse(), "invalid", "it is set");
    if (world.noConfig) throw failure("not implemented", grpc.status.UNIMPLEMENTED);
    const owner = olds?.owner ?? world.owner ?? "owner-1";
    return new proto.CheckResponse().setInputs(struct({ ...news, owner }));
  },

  diffConfig(request) {
    const [oldInputs, olds, news] = [request.getOldInputs(), request.getOlds(), request.getNews()].map(map);
    log("DiffConfig", { urn: request.getUrn(), id: request.getId(), oldInputs, olds, news });
    if (world.noConfig) throw failure("not implemented", grpc.status.UNIMPLEMENTED);
    return diffOf(oldInputs, news, ["region"]);
  },

  configure(request) {
    log("Configure", {
      ...request.toObject(),
      variables: Object.fromEntries(request.getVariablesMap().getEntryList().sort()),
      args: map(request.getArgs()),
    });
    if (map(request.getArgs()).refuse) throw failure("the configuration is refused");
    const response = new proto.ConfigureResponse().setAcceptsecrets(world.acceptSecrets === true);
    return response.setSupportspreview(world.supportsPreview === true);
  },

  check(request) {
    const [olds, news] = [map(request.getOlds()), map(request.getNews())];
    log("Check", { urn: request.getUrn(), name: request.getName(), type: request.getType(), olds, news });
    if (news.invalid) return failures(new proto.CheckResponse(), "invalid", "it is set");
    return new proto.CheckResponse().setInputs(struct({ ...news, color: news.color ?? olds?.color ?? "blue" }));
  },

  diff(request) {
    const [oldInputs, olds, news] = [request.getOldInputs(), request.getOlds(), request.getNews()].map(map);
    const ignored = request.getIgnorechangesList();
    log("Diff", { urn: request.getUrn(), id: request.getId(), oldInputs, olds, news, ignored });
    const response = diffOf(oldInputs, news, ["size"]);
    return response.setDeletebeforereplace(news.deleteFirst === true);
  },

  async create(request) {
    const inputs = map(request.getProperties());
    const preview = request.getPreview();
    log("Create", { urn: request.getUrn(), properties: inputs, preview, timeout: request.getTimeout() });
    const response = new proto.CreateResponse();
    if (preview) return response.setProperties(struct({ ...inputs, token: UNKNOWN }));
    if (inputs.exports) log("Export", await exportedState());
    if (inputs.slow) await Promise.race([cancellation, new Promise((resolve) => setTimeout(resolve, inputs.slow))]);
    if (inputs.fail === "create") throw failure("it cannot be created");
    const id = nextId(request.getName());
    const outputs = { ...inputs, token: secret(`token-of-${id}`) };
    if (inputs.notReady) throw initFailed(id, outputs, ["it is not ready"]);
    return response.setId(id).setProperties(struct(outputs));
  },

  read(request) {
    const [inputs, state] = [map(request.getInputs()), map(request.getProperties())];
    const [name, id] = [request.getName(), request.getId()];
    log("Read", { urn: request.getUrn(), id, inputs, properties: state });
    if (world.gone?.includes(name) || id === "missing") return new proto.ReadResponse();
    const drift = world.drift?.[name] ?? {};
    const known = inputs ?? world.imported ?? { color: "blue" };
    const response = new proto.ReadResponse().setId(id);
    if (world.imported !== null) response.setInputs(struct({ ...known, ...drift }));
    return response.setProperties(struct({ token: secret(`token-of-${id}`), ...known, ...state, ...drift }));
  },

  update(request) {
    const [oldInputs, olds, news] = [request.getOldInputs(), request.getOlds(), request.getNews()].map(map);
    const preview = request.getPreview();
    log("Update", { urn: request.getUrn(), id: request.getId(), oldInputs, olds, news, preview });
    const response = new proto.UpdateResponse();
    if (preview) return response.setProperties(struct({ ...olds, ...news }));
    if (news.fail === "update") throw failure("it cannot be updated");
    if (news.notReady) throw initFailed(request.getId(), { ...olds, ...news }, ["it is not ready"]);
    return response.setProperties(struct({ ...olds, ...news }));
  },

  delete(request) {
    const [oldInputs, properties] = [map(request.getOldInputs()), map(request.getProperties())];
    log("Delete", { urn: request.getUrn(), id: request.getId(), oldInputs, properties, timeout: request.getTimeout() });
    if (properties.fail === "delete") throw failure("it cannot be deleted");
    return new Empty();
  },

  invoke(request) {
    const [token, args] = [request.getTok(), map(request.getArgs())];
    log("Invoke", { token, args, preview: request.getPreview?.() });
    if (token.endsWith("failing")) return failures(new proto.InvokeResponse(), "city", "it is unknown");
    if (token.endsWith("broken")) throw failure("the function is broken");
    return new proto.InvokeResponse().setReturn(struct({ ...args, secretOfFunction: secret("s") }));
  },

  cancel() {
    log("Cancel", {});
    cancelled();
    return new Empty();
  },
};

function diffOf(olds = {}, news = {}, replacing = []) {
  const changed = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter((key) =>
    differs(olds[key], news[key]),
  );
  const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
  return new proto.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setReplacesList(changed.filter((key) => replacing.includes(key)));
}

function failures(response, property, reason) {
  return response.addFailures(new proto.CheckFailure().setProperty(property).setReason(reason)) && response;
}

function failure(message, code = grpc.status.UNKNOWN) {
  return { code, details: message };
}

function initFailed(id, properties, reasons) {
  const detail = new proto.ErrorResourceInitFailed()
    .setId(id)
    .setProperties(struct(properties))
    .setReasonsList(reasons);
  const any = new Any();
  any.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage("it is not ready").setDetailsList([any]);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details: "it is not ready", metadata };
}

/** NAME-N, where N counts what was created under that name in all processes. */
function nextId(name) {
  const ids = existsSync(`${file}.ids`) ? readFileSync(`${file}.ids`, "utf8").split("\n") : [];
  const id = `${name}-${1 + ids.filter((line) => line.replace(/-\d+$/, "") === name).length}`;
  appendFileSync(`${file}.ids`, `${id}\n`);
  return id;
}

function log(method, request) {
  appendFileSync(file, `${JSON.stringify({ pid: process.pid, method, ...request })}\n`);
}

const server = new grpc.Server();
const handlers = Object.entries(methods).map(([name, handle]) => [
  name,
  (call, done) =>
    Promise.resolve()
      .then(() => (world.endsOn === name ? process.exit(7) : handle(call.request)))
      .then(
        (response) => done(null, response),
        (error) => done(error.code === undefined ? { code: grpc.status.INTERNAL, details: error.stack } : error),
      ),
]);
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
  if (world.printed) process.stdout.write(`${world.printed}\n`);
  if (world.printed) process.stderr.write(`${world.printed} (stderr)\n`);
});
