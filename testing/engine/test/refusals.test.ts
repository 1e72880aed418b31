import { Callback } from "@pulumi/pulumi/proto/callback_pb";
import { RegisterResourceRequest, RegisterResourceRequest as Request } from "@pulumi/pulumi/proto/resource_pb";
import { Struct, Value } from "google-protobuf/google/protobuf/struct_pb";
import { expect, test } from "vitest";
import { type DeployCommand, flagsOf } from "../command/deploy-command";
import { parseFlags } from "../command/flags";
import { manage } from "../command/stack-command";
import { Goals } from "../program/goals";
import { receiveMap } from "../program/wire";
import { type OperationOptions, OperationRun } from "../run/operation";
import type { ResourceState } from "../state/checkpoint";

const NAMED = "(pulumi-nodejs:dynamic/t:T 'a')";

function request(): RegisterResourceRequest {
  const made = new RegisterResourceRequest();
  return made.setType("pulumi-nodejs:dynamic/t:T").setName("a").setCustom(true).setObject(Struct.fromJavaScript({}));
}

const refused: readonly [string, RegisterResourceRequest][] = [
  [`a remote component ${NAMED}`, request().setRemote(true)],
  [`the resource option transforms ${NAMED}`, request().setTransformsList([new Callback()])],
  [
    `the resource option hooks ${NAMED}`,
    request().setHooks(new Request.ResourceHooksBinding().setBeforeCreateList(["log"])),
  ],
  ["an explicit provider (pulumi:providers:aws 'p')", request().setType("pulumi:providers:aws").setName("p")],
  [`the resource option version ${NAMED}`, request().setVersion("1.2.3")],
  [`the resource option pluginDownloadURL ${NAMED}`, request().setPlugindownloadurl("https://plugins.example")],
  [`a parameterized package ${NAMED}`, request().setPackageref("ref")],
  [`the resource option import ${NAMED}`, request().setImportid("7")],
  [`the resource option deletedWith ${NAMED}`, request().setDeletedwith("urn:other")],
  [`the resource option replaceWith ${NAMED}`, request().setReplaceWithList(["urn:other"])],
  [`the resource option replacementTrigger ${NAMED}`, request().setReplacementTrigger(new Value().setStringValue("a"))],
  [`the resource option hideDiffs ${NAMED}`, request().setHidediffsList(["key"])],
];

test.each(refused)("%s is refused by name, not ignored", async (what, asked) => {
  const goal = new Goals("/").of(asked, async () => "urn::id");
  await expect(goal).rejects.toThrow(`the embedded engine does not support ${what}: use the Pulumi CLI`);
});

test.each<[string, Partial<ResourceState>]>([
  ["an explicit provider", { type: "pulumi:providers:aws", urn: "urn:pulumi:dev::proj::pulumi:providers:aws::eu" }],
  ["a resource that is read by its id", { external: true }],
  ["the resource option deletedWith", { deletedWith: "urn:other" }],
  ["the resource option replaceWith", { replaceWith: ["urn:other"] }],
])("a state with %s is refused before a run changes anything", (what, fields) => {
  const resources = [{ urn: "urn:pulumi:dev::proj::t::a", type: "t", custom: true, ...fields }];
  expect(() => new OperationRun({ resources } as unknown as OperationOptions)).toThrow(
    `does not support ${what} (urn:`,
  );
});

test("an asset is refused at any depth", () => {
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "hello" };
  expect(() => receiveMap({ files: [{ asset }] })).toThrow("does not support an asset or archive");
});

test("an unknown flag is refused by name, even with a value", () => {
  expect(() => parseFlags(["--plan=file"], {})).toThrow("does not support the flag --plan:");
  expect(() => parseFlags(["-x"], {})).toThrow("does not support the flag -x:");
});

test.each(["-kp_0verysecret", "--kp_0verysecret", "--kp_0verysecret=1"])(
  "%s is refused without being repeated",
  (flag) => {
    expect(() => parseFlags([flag], {})).toThrow(/does not support a flag:(?!.*verysecret)/);
  },
);

test.each([
  [["kp_0verysecret"], []],
  [["stack", "kp_0verysecret"], []],
  [["state", "delete", "kp_0verysecret"], []],
])("the command line %o %o is refused without being repeated", async (words, args) => {
  await expect(manage(words, args, {})).rejects.toThrow(/^(?!.*verysecret).* does not support this command/);
});

test.each<[DeployCommand, string[]]>([
  ["up", ["--target", "--exclude", "--replace", "--continue-on-error", "--ignore-protect", "--plan", "--policy-pack"]],
  ["refresh", ["--target", "--exclude", "--import-pending-creates"]],
  ["destroy", ["--target", "--exclude-protected", "--continue-on-error", "--remove"]],
])("%s refuses %j, each by its name", (command, flags) => {
  for (const flag of flags) expect(() => flagsOf(command, [flag])).toThrow(`does not support the flag ${flag}:`);
});
