import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadProject, readSalt } from "../command/config";
import { locked, OpenStack, type StackPlace } from "../command/stack";
import { FileBackend } from "../state/backend";
import { manifestAt } from "../state/checkpoint";

const env = { PULUMI_CONFIG_PASSPHRASE: "pw" };
const manifest = manifestAt(new Date(0));
const resources = [{ urn: "urn:pulumi:dev::proj::t::made-meanwhile", custom: true, type: "t", id: "1" }];

let folder = "";
let place: StackPlace;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-stack-"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: proj\nruntime: nodejs\n");
  place = { project: await loadProject(folder), stack: "dev", backend: new FileBackend(folder) };
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a second run is refused while a run holds the stack, and then uses the result of the first one", async () => {
  await locked(place, async () => {
    await expect(locked(place, async () => undefined)).rejects.toThrow("locked");
    const stack = await OpenStack.open(place, env);
    await stack.writer(() => ({ manifest, resources }))();
  });
  const seen = await locked(place, async () => (await OpenStack.open(place, env)).opened()?.resources);
  expect(seen).toEqual(resources);
});

test("a failed run, for example with a wrong passphrase, leaves no lock", async () => {
  await locked(place, () => OpenStack.open(place, env));
  const wrong = { PULUMI_CONFIG_PASSPHRASE: "not pw" };
  await expect(locked(place, () => OpenStack.open(place, wrong))).rejects.toThrow("incorrect passphrase");
  await locked(place, async () => undefined);
});

test("a stack keeps its encryption key if its configuration file is lost", async () => {
  const stack = await OpenStack.open(place, env);
  await locked(
    place,
    stack.writer(() => ({ manifest, resources })),
  );
  rmSync(join(folder, "Pulumi.dev.yaml"));
  expect((await OpenStack.open(place, env)).secrets.salt).toBe(stack.secrets.salt);
  expect(await readSalt(place.project, place.stack)).toBe(stack.secrets.salt);
});
