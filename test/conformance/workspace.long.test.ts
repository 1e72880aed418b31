import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { searchSecrets, Workspace } from "../../testing/workspace";

const PROBE = join(__dirname, "probe");
// Importing keyplane removes values from Pulumi's debug messages.
const PROGRAM = `
require("keyplane");
const { Probe, pulumi } = require("probe");
const token = new pulumi.Config("probe").requireSecret("token");
const a = new Probe("a", { v: 1, w: token });
const b = new Probe("b", { v: a.out });
exports.key = a.secretOut;
exports.plain = b.out;
`;

let calls = "";
beforeAll(() => {
  // The log is outside the workspaces, because it contains what the provider receives, in plain text.
  calls = mkdtempSync(join(tmpdir(), "keyplane-calls-"));
});
afterAll(() => rmSync(calls, { recursive: true }));

const made: Workspace[] = [];
afterEach(async () => {
  for (const workspace of made.splice(0)) await workspace.remove();
});

async function create(): Promise<Workspace> {
  const workspace = await Workspace.create({
    program: { "index.js": PROGRAM },
    packages: { probe: PROBE },
    config: { "probe:plain": "shown" },
    secretConfig: { "probe:token": "hidden-token" },
    env: { PROBE_LOG: join(calls, "calls.jsonl") },
  });
  made.push(workspace);
  return workspace;
}

test("a secret of a run is decrypted only on request, and appears in no file and no output", async () => {
  const workspace = await create();
  const up = await workspace.up();
  expect(up.outputs).toEqual({ key: "[secret]", plain: 'b:"a:1"' });
  expect(up.summary).toMatchObject({ resourceChanges: { create: 3 }, result: "succeeded" });
  expect(await workspace.outputs()).toEqual({ key: "[secret]", plain: 'b:"a:1"' });
  expect(await workspace.outputs({ showSecrets: true })).toMatchObject({ key: expect.stringMatching(/^secret-of-a-/) });

  const secrets = { token: "hidden-token", key: "secret-of-a-1", other: "secret-of-b-1" };
  const texts = { stdout: up.stdout, stderr: up.stderr, events: JSON.stringify(up.events) };
  expect(await searchSecrets(secrets, { paths: [workspace.directory], texts })).toEqual([]);

  await writeFile(
    join(workspace.directory, "planted"),
    JSON.stringify(await workspace.exportState({ showSecrets: true })),
  );
  const found = await searchSecrets(secrets, { paths: [workspace.directory] });
  expect(new Set(found.map((finding) => finding.secret)), "the search can find them").toEqual(
    new Set(Object.keys(secrets)),
  );
});

test("a destroyed stack is empty, and its engine leaves no process behind", async () => {
  const workspace = await create();
  const up = await workspace.up();
  const destroyed = await workspace.destroy();
  expect(destroyed.steps.map((step) => step.op)).toEqual(["delete", "delete", "delete"]);
  expect((await workspace.exportState()).deployment.resources ?? []).toEqual([]);
  for (const pid of [up.hostPid, destroyed.hostPid]) {
    if (pid !== undefined) expect(() => process.kill(pid, 0), `host ${pid}`).toThrow("ESRCH");
  }
});

// As in testing/engine/README.md.
const KILLER = `
require("node:diagnostics_channel").subscribe("keyplane:engine", ({ point, urn, op }) => {
  if (point === process.env.KILL_AT && urn.endsWith("::a") && op === "create") process.kill(process.pid, "SIGKILL");
});
`;

test.each([
  ["before-pending-write", [], 1],
  ["after-call", ["creating"], 2],
  ["after-state-write", [], 1],
])(
  "the state of an engine killed at %s loads and names the pending operations %j",
  async (point, pending, creations) => {
    const workspace = await create();
    const log = join(calls, `${point}.jsonl`);
    await writeFile(join(workspace.directory, "killer.cjs"), KILLER);
    const NODE_OPTIONS = `--require=${join(workspace.directory, "killer.cjs")}`;
    await workspace.setProgram({ "index.js": 'const { Probe } = require("probe");\nnew Probe("a", { v: 1 });\n' });
    const killed = await workspace.up({ env: { NODE_OPTIONS, KILL_AT: point, PROBE_LOG: log }, mayFail: true });
    expect(killed.signal).toBe("SIGKILL");
    const { deployment } = await workspace.exportState();
    expect((deployment.pending_operations ?? []).map((operation) => operation.type)).toEqual(pending);

    await expect(workspace.up()).rejects.toThrow("currently locked");
    await workspace.cancel();
    const { diagnostics } = await workspace.up({ env: { PROBE_LOG: log } });
    expect(diagnostics.map((diagnostic) => diagnostic.severity)).toEqual(pending.map(() => "warning"));
    const creates = readFileSync(log, "utf8").match(/"method":"create"/g) ?? [];
    expect(creates).toHaveLength(creations);
  },
);
