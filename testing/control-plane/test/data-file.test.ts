import { watch } from "node:fs";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { startControlPlane } from "..";
import { firstProject, send, startPlane, temporaryPath } from "./support";

let data: string;

beforeEach(async () => {
  data = await temporaryPath("plane.json");
});

test("keys, projects, operations, switches and the clock survive a restart of the control plane", async () => {
  const first = await startControlPlane({ apiKey: "admin-1", data, clock: { mode: "driven" } });
  const { id, key } = (await send(first, "POST /api_keys", { body: { key_name: "ci" } })).body;
  const project = await firstProject(first);
  const [operation] = (await send(first, `POST /projects/${project}/branches`, { body: {} })).body.operations;
  await first.clock.advance(60_000);
  await first.state.switch({ uniqueNames: false });
  const before = await first.state.read();
  await first.close();

  const second = await startPlane({ apiKey: "admin-1", data });
  expect(await second.state.read()).toEqual(before);
  expect((await send(second, "GET /auth", { key })).status).toBe(200);
  const read = await send(second, `GET /projects/${project}/operations/${operation.id}`);
  expect(read.body.operation.status).toBe("finished");
  const made = await send(second, "POST /api_keys", { body: { key_name: "ci" } });
  expect(made.body.id).toBeGreaterThan(id);
});

test("the file contains a change before the answer is sent", async () => {
  const plane = await startPlane({ data });
  const { id } = (await send(plane, "POST /api_keys", { body: { key_name: "ci" } })).body;
  const names = async () => {
    const { keys } = JSON.parse(await readFile(data, "utf8"));
    return keys.live.map(({ name }: { name: string }) => name);
  };
  expect(await names()).toEqual(["admin", "ci"]);
  await send(plane, `DELETE /api_keys/${id}`);
  expect(await names()).toEqual(["admin"]);
});

test("the file contains no secret, and only its owner can read it", async () => {
  const plane = await startPlane({ apiKey: "admin-sentinel", data });
  await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  const text = await readFile(data, "utf8");
  for (const secret of await plane.secretsEverIssued()) expect(text).not.toContain(secret);
  expect((await stat(data)).mode & 0o777).toBe(0o600);
});

test("a control plane that is started with another admin key accepts that one and no longer the old one", async () => {
  const first = await startControlPlane({ apiKey: "admin-1", data });
  await first.close();
  const second = await startPlane({ apiKey: "admin-2", data });
  expect((await send(second, "GET /api_keys", { key: "admin-1" })).status).toBe(401);
  expect((await send(second, "GET /api_keys")).body).toMatchObject([{ name: "admin" }]);
});

test("an admin key that revoked itself is created again at the next start with a new id", async () => {
  const first = await startControlPlane({ apiKey: "admin-1", data });
  const [{ id }] = (await send(first, "GET /api_keys")).body;
  await send(first, `DELETE /api_keys/${id}`);
  await first.close();
  const second = await startPlane({ apiKey: "admin-1", data });
  const [admin] = (await send(second, "GET /api_keys")).body;
  expect(admin.id).toBeGreaterThan(id);
});

test.each([
  ["no JSON", "{"],
  ["another thing", '{"version":2}'],
])("a file that contains %s is an error that names the file, and the file is not changed", async (_, text) => {
  await writeFile(data, text);
  await expect(startControlPlane({ data })).rejects.toThrow(data);
  expect(await readFile(data, "utf8")).toBe(text);
});

test("simultaneous changes share their writes and are all in the file", async () => {
  const plane = await startPlane({ data });
  const sent = Array.from({ length: 40 }, (_, index) => {
    return send(plane, "POST /api_keys", { body: { key_name: `key-${index}` } });
  });
  expect((await Promise.all(sent)).every(({ status }) => status === 200)).toBe(true);
  const { keys } = JSON.parse(await readFile(data, "utf8"));
  expect(keys.live).toHaveLength(41);
});

test("links beside the file are not followed, and no other files are left beside it", async () => {
  const victim = await temporaryPath("victim");
  await writeFile(victim, "untouched");
  for (const name of [".tmp", "~", ".new"]) await symlink(victim, data + name);
  const plane = await startPlane({ data });
  await send(plane, "POST /api_keys", { body: { key_name: "ci" } });
  expect(await readFile(victim, "utf8")).toBe("untouched");
  const links = [".tmp", "~", ".new"].map((name) => `plane.json${name}`);
  expect((await readdir(dirname(data))).sort()).toEqual([...links, "plane.json"].sort());
});

test("the file is written under a new random name each time, which nobody can take in advance", async () => {
  const names = new Set<string>();
  const folder = dirname(data);
  const watcher = watch(folder, (_, name) => names.add(String(name)));
  const plane = await startPlane({ data });
  for (const name of ["one", "two"]) await send(plane, "POST /api_keys", { body: { key_name: name } });
  await vi.waitFor(() => {
    const temporary = [...names].filter((name) => /^\.plane\.json\.[\da-f-]{36}\.tmp$/.test(name));
    expect(temporary.length).toBeGreaterThanOrEqual(3);
  });
  watcher.close();
  expect([...names].filter((name) => !/^\.?plane\.json(\.[\da-f-]{36}\.tmp)?$/.test(name))).toEqual([]);
});

test("the next start removes a half-written file of a killed process, and nothing else", async () => {
  const folder = dirname(data);
  const left = ".plane.json.5b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a11.tmp";
  for (const name of [left, ".plane.json.mine.tmp", "plane.json.tmp"]) await writeFile(join(folder, name), "{");
  await startPlane({ data });
  expect((await readdir(folder)).sort()).toEqual([".plane.json.mine.tmp", "plane.json", "plane.json.tmp"]);
});

test("a folder that does not exist is an error that does not repeat its name", async () => {
  await expect(startControlPlane({ data: `${data}/none/plane.json` })).rejects.toThrow(
    /^the data file cannot be (read|written) \(ENOTDIR\)$|^the data file cannot be written \(ENOENT\)$/,
  );
});
