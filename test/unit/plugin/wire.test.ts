import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { describe, expect, test } from "vitest";
import { fromStruct, notReady, toStruct } from "../../../provider/plugin/wire";
import { UNKNOWN } from "../../../provider/schema/fields";

const secret = (value: unknown) => ({ "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", value });
const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };

describe("values of a message", () => {
  test("are read without their marks of secrets, at any depth", () => {
    const marked = { a: secret("1"), b: [secret({ c: secret([secret("2")]) })], d: { e: secret(null) }, f: false };
    const struct = Struct.fromJavaScript(marked as never);
    expect(fromStruct(struct)).toEqual({ a: "1", b: [{ c: ["2"] }], d: { e: null }, f: false });
  });

  test("are read as they are if another mark than that of a secret is in them", () => {
    expect(fromStruct(Struct.fromJavaScript({ asset }))).toEqual({ asset });
    expect(fromStruct(undefined)).toEqual({});
  });

  test("are written with marks for the secrets that they have", () => {
    const struct = toStruct({ key: "k", previousKey: null, other: "o" }, ["key", "previousKey", "adopt"]);
    expect(struct.toJavaScript()).toEqual({ key: secret("k"), previousKey: null, other: "o" });
  });

  test("mark a secret that a preview does not know yet, too", () => {
    const struct = toStruct({ key: UNKNOWN }, ["key"]);
    expect(struct.toJavaScript()).toEqual({ key: secret("04da6b54-80e4-46f7-96ec-b56ff0331ba9") });
  });

  test("can be written even if Pulumi has no form for them, because a created key must be recorded", () => {
    expect(toStruct({ a: undefined, b: 7n, c: { d: undefined } }).toJavaScript()).toEqual({ b: "7", c: {} });
  });
});

test("the error of a resource that is not ready holds the resource in its details", () => {
  const provider = require("@pulumi/pulumi/proto/provider_pb");
  const { Status } = require("@pulumi/pulumi/proto/status_pb");
  const error = notReady("not ready yet", "7", toStruct({ key: "k" }, ["key"]));
  expect(error.details).toBe("not ready yet");
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = Status.deserializeBinary(bytes).getDetailsList();
  expect(detail.getTypeName()).toBe("pulumirpc.ErrorResourceInitFailed");
  const failure = provider.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  expect([failure.getId(), failure.getReasonsList()]).toEqual(["7", ["not ready yet"]]);
  expect(failure.getProperties().toJavaScript()).toEqual({ key: secret("k") });
});
