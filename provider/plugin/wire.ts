import { Metadata, type ServiceError, status } from "@grpc/grpc-js";

import provider = require("@pulumi/pulumi/proto/provider_pb");
import statuses = require("@pulumi/pulumi/proto/status_pb");

import { Any } from "google-protobuf/google/protobuf/any_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../schema/resource-type";
import { toPulumi } from "../session/values";

type Values = Record<string, unknown>;

/** Pulumi's marks of a secret: an object with this member and a `value`. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** The values of a message, without their marks of secrets. */
export function fromStruct(struct: Struct | undefined): Values {
  return plain(struct?.toJavaScript() ?? {}) as Values;
}

/** The values for a message. Those that are named are marked as secrets. */
export function toStruct(values: Properties, secrets: readonly string[] = []): Struct {
  const marked = toPulumi(values);
  for (const name of secrets) {
    const value = marked[name];
    if (value !== undefined && value !== null) marked[name] = { [SIGNATURE]: SECRET, value };
  }
  return Struct.fromJavaScript(marked as Record<string, JavaScriptValue>);
}

/** Removes the marks of secrets at any depth. Configuration arrives with them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const members = value as Values;
  if (members[SIGNATURE] === SECRET) return plain(members.value);
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, plain(member)]));
}

/** A call after which the resource exists, but is not ready. The engine records it, and fails the run. */
export function notReady(message: string, id: string, properties: Struct): Partial<ServiceError> {
  const details = new provider.ErrorResourceInitFailed();
  details.setId(id).setProperties(properties).setReasonsList([message]);
  const packed = new Any();
  packed.pack(details.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const wrapped = new statuses.Status().setCode(status.UNKNOWN).setMessage(message);
  wrapped.addDetails(packed);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", Buffer.from(wrapped.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}
