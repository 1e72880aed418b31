// The calls between an engine and a plugin, as plain values: the fields of the messages in JavaScript's spelling.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The calls that a later version can answer again, because they change nothing, with the types of their requests. */
const REQUESTS = {
  checkConfig: "CheckRequest",
  diffConfig: "DiffRequest",
  configure: "ConfigureRequest",
  check: "CheckRequest",
  diff: "DiffRequest",
  read: "ReadRequest",
};

/**
 * Records all calls of this process to providers. The engine must run in this process, with the same Pulumi SDK.
 * @returns the list that grows with each call that is answered.
 */
export function recordCalls() {
  const { prototype } = require("@pulumi/pulumi/proto/provider_grpc_pb").ResourceProviderClient;
  const calls = [];
  for (const method of Object.keys(REQUESTS)) {
    const send = prototype[method];
    prototype[method] = function (request, ...rest) {
      const done = rest.pop();
      return send.call(this, request, ...rest, (error, response) => {
        if (!error) calls.push({ method, request: valuesOf(request), response: valuesOf(response) });
        done(error, response);
      });
    };
  }
  return calls;
}

/** Sends a recorded request to a provider. Returns the response. */
export async function sendAgain(client, { method, request }) {
  const message = new (require("@pulumi/pulumi/proto/provider_pb")[REQUESTS[method]])();
  const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
  for (const [name, value] of Object.entries(request)) {
    const isStruct = typeof value === "object" && !Array.isArray(value);
    message[`set${capital(name)}`](isStruct ? Struct.fromJavaScript(value) : value);
  }
  const response = await new Promise((resolve, reject) => {
    client[method](message, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
  return valuesOf(response);
}

/** The fields of a message that are set, without maps: the requests repeat them in another field. */
function valuesOf(message) {
  const all = Object.entries(message.toObject()).filter(([name]) => !name.endsWith("Map"));
  const fields = all.map(([name, plain]) => {
    const value = message[`get${capital(name)}`]?.();
    return [name, typeof value?.toJavaScript === "function" ? value.toJavaScript() : plain];
  });
  return Object.fromEntries(fields.filter(([, value]) => isSet(value)));
}

function isSet(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function capital(name) {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
