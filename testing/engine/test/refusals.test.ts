import { Callback } from "@pulumi/pulumi/proto/callback_pb";
import { RegisterResourceRequest, RegisterResourceRequest as Request } from "@pulumi/pulumi/proto/resource_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { expect, test } from "vitest";
import { type CommandProcess, type DeployCommand, deploy } from "../command/deploy-command";
import { parseFlags } from "../command/flags";
import { manage } from "../command/stack-command";
import { Goals } from "../program/goals";
import { receiveMap } from "../program/wire";

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
  [`a parameterized package ${NAMED}`, request().setPackageref("ref")],
];

test.each(refused)("%s is refused by name, not ignored", async (what, asked) => {
  const goal = new Goals("/").of(asked, async () => "urn::id");
  await expect(goal).rejects.toThrow(`${what} is not supported by the embedded engine`);
});

test("an asset is refused at any depth", () => {
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "hello" };
  expect(() => receiveMap({ files: [{ asset }] })).toThrow("an asset or archive is not supported");
});

test("an unknown flag is refused by name, even with a value", () => {
  expect(() => parseFlags(["--plan=file"], {})).toThrow("the flag --plan is not supported");
  expect(() => parseFlags(["-x"], {})).toThrow("the flag -x is not supported");
});

test.each(["-kp_0verysecret", "--kp_0verysecret", "--kp_0verysecret=1"])(
  "%s is refused without being repeated",
  (flag) => {
    expect(() => parseFlags([flag], {})).toThrow(/^a flag is not supported(?!.*verysecret)/);
  },
);

test.each([
  [["kp_0verysecret"], []],
  [["stack", "kp_0verysecret"], []],
  [["state", "delete", "kp_0verysecret"], []],
])("the command line %o %o is refused without being repeated", async (words, args) => {
  await expect(manage(words, args, {})).rejects.toThrow(/^(?!.*verysecret).* is not supported by the embedded engine/);
});

const unused: CommandProcess = {
  env: {},
  stdout: process.stdout,
  on: () => undefined,
  off: () => undefined,
  exit: () => undefined,
};

test.each<[DeployCommand, string, string]>([
  ["up", "--target=a", "--exclude=b"],
  ["destroy", "--target=a", "--exclude-protected"],
  ["destroy", "--exclude-protected", "--ignore-protect"],
])("%s refuses %s together with %s before it does anything", async (command, one, other) => {
  await expect(deploy(command, [other, one], unused)).rejects.toThrow("exclude each other");
});

test("destroy has no flag for the dependents of excludes, as with the CLI", async () => {
  const args = ["--exclude=a", "--exclude-dependents"];
  await expect(deploy("destroy", args, unused)).rejects.toThrow("the flag --exclude-dependents is not supported");
});
