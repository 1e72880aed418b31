import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileBackend } from "../state/backend";
import type { Checkpoint, Deployment, ResourceState } from "../state/checkpoint";
import { manifestAt } from "../state/checkpoint";
import { PassphraseSecrets } from "../state/secrets";
import { StateFile } from "../state/state-file";

const real = JSON.parse(
  readFileSync(join(__dirname, "../../../test/conformance/checkpoint/dev.json"), "utf8"),
) as Checkpoint;
const latest = real.checkpoint.latest as Deployment;
const opening = PassphraseSecrets.open("pw", latest.secrets_providers?.state?.salt ?? "");

let folder = "";
let backend = new FileBackend("");
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "keyplane-state-"));
  backend = new FileBackend(folder);
  await backend.prepare("proj");
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = (name: string): ResourceState => ({
  urn: `urn:pulumi:dev::proj::t::${name}`,
  custom: true,
  type: "t",
  id: name,
});

describe("a stack's state file", () => {
  test("of the CLI is the same after loading and saving, except for new ciphertexts", async () => {
    const secrets = await opening;
    const deployment = secrets.openDeployment(latest);
    await new StateFile(backend.stackFile("proj", "dev"), "organization/proj/dev", secrets, () => deployment).save();
    const loaded = await backend.load("proj", "dev");
    expect(loaded && secrets.openDeployment(loaded)).toEqual(deployment);
    const text = readFileSync(backend.stackFile("proj", "dev"), "utf8");
    expect(Object.keys(JSON.parse(text).checkpoint)).toEqual(Object.keys(real.checkpoint));
    expect(text).not.toMatch(/hush\\?"\}|secret-of|hidden-token/);
  });

  test("keeps pending operations with their inputs", async () => {
    const secrets = await opening;
    const resource = { ...key("a"), inputs: { name: "ci" } };
    const pending_operations = [{ resource, type: "creating" as const }];
    const deployment = { manifest: manifestAt(new Date(0)), pending_operations };
    await new StateFile(backend.stackFile("proj", "dev"), "organization/proj/dev", secrets, () => deployment).save();
    expect((await backend.load("proj", "dev"))?.pending_operations).toEqual(pending_operations);
  });

  test("is written only a few times for many simultaneous saves, and each save is on disk when it resolves", async () => {
    const resources: ResourceState[] = [];
    const path = backend.stackFile("proj", "dev");
    const file = new StateFile(path, "organization/proj/dev", await opening, () => ({
      manifest: manifestAt(new Date(0)),
      resources: [...resources],
    }));
    let writes = 0;
    const watcher = watch(join(folder, ".pulumi", "stacks", "proj"), (_, name) => {
      if (name === "dev.json") writes += 1;
    });
    const saves = Array.from({ length: 200 }, async (_, i) => {
      resources.push(key(`k${i}`));
      await file.save();
      expect(readFileSync(path, "utf8")).toContain(`::k${i}"`);
    });
    await Promise.all(saves);
    watcher.close();
    expect(writes).toBeLessThan(20);
    expect(existsSync(`${path}.tmp`)).toBe(false);
  });

  test("of another version is refused, because this engine would lose what only that version has", async () => {
    await writeFile(backend.stackFile("proj", "dev"), '{"version":4,"features":["taint"],"checkpoint":{}}');
    await expect(backend.load("proj", "dev")).rejects.toThrow("does not support version 4 of a state");
  });
});

describe("a stack's lock", () => {
  test("refuses a second run and says who holds it", async () => {
    const unlock = await backend.lock("proj", "dev");
    await expect(backend.lock("proj", "dev")).rejects.toThrow(`(pid ${process.pid})`);
    const unlockOther = await backend.lock("proj", "prod");
    await unlock();
    await unlockOther();
    await (await backend.lock("proj", "dev"))();
  });

  test("that a killed run left is removed by cancel, even if it is damaged", async () => {
    const locks = join(folder, ".pulumi", "locks", "organization", "proj", "dev");
    await mkdir(locks, { recursive: true });
    await writeFile(join(locks, "x.json"), "{");
    await expect(backend.lock("proj", "dev")).rejects.toThrow("currently locked by 1 lock(s)");
    await backend.cancel("proj", "dev");
    expect(await readdir(locks)).toEqual([]);
    await (await backend.lock("proj", "dev"))();
  });
});

describe("a backend's address", () => {
  test("must be a folder, and any other kind is refused by name", () => {
    expect(FileBackend.fromUrl("file:///tmp/a%20b").directory).toBe("/tmp/a b");
    expect(() => FileBackend.fromUrl("s3://bucket")).toThrow("a PULUMI_BACKEND_URL other than file://DIR");
    expect(() => FileBackend.fromUrl(undefined)).toThrow("set PULUMI_BACKEND_URL");
  });
});
