import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileBackend } from "../../kit/engine/backend";
import { manifestAt } from "../../kit/engine/checkpoint";
import { loadProject } from "../../kit/engine/config";
import { OpenStack, type StackPlace } from "../../kit/engine/stack";

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

test("a run that was opened while another one ended works on what that one made", async () => {
  const first = await OpenStack.open(place, env);
  const second = await OpenStack.open(place, env);
  await first.locked(first.writer(() => ({ manifest, resources })));
  expect(await second.locked(async () => second.opened()?.resources)).toEqual(resources);
});

test("a run that would encrypt for another key than the stack's is refused, and leaves no lock", async () => {
  const first = await OpenStack.open(place, env);
  rmSync(join(folder, "Pulumi.dev.yaml"));
  const second = await OpenStack.open(place, env);
  await first.locked(first.writer(() => ({ manifest, resources })));
  await expect(second.locked(async () => undefined)).rejects.toThrow("another run has made this stack");
  await first.locked(async () => undefined);
});
