import { Metadata, type ServiceError, status } from "@grpc/grpc-js";

import provider = require("@pulumi/pulumi/proto/provider_pb");
import statuses = require("@pulumi/pulumi/proto/status_pb");

import { Any } from "google-protobuf/google/protobuf/any_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isSecret } from "../members";
import { markResource, markSecrets, toPulumi, unmarked, type Values } from "../session/values";

/** The values of a message, without their marks of secrets. */
export function fromStruct(struct: Struct | undefined): Values {
  return unmarked(struct?.toJavaScript() ?? {}) as Values;
}

/** The names of the values that are secrets, or have one. */
export function secretsIn(struct: Struct | undefined): readonly string[] {
  return Object.entries(struct?.toJavaScript() ?? {}).flatMap(([name, value]) => (hasSecret(value) ? [name] : []));
}

function hasSecret(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSecret(value) || Object.values(value).some(hasSecret);
}

/** The inputs or outputs of a resource for a message, with their marks of secrets. */
export function toResource(values: object): Struct {
  return Struct.fromJavaScript(markResource(toPulumi(values)) as Record<string, JavaScriptValue>);
}

/** The values for a message. Those that are named are marked as secrets. */
export function toStruct(values: object, secrets: readonly string[] = []): Struct {
  return Struct.fromJavaScript(markSecrets(toPulumi(values), secrets) as Record<string, JavaScriptValue>);
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
