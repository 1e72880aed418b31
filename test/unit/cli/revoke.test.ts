import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { exported } from "./stack-file";
import { type Ended, envOf, run } from "./support";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(() => plane.close());

function revoke(args: readonly string[], input?: string): Promise<Ended> {
  return run(["revoke", ...args], { env: envOf(plane), ...(input === undefined ? {} : { input }) });
}

async function liveIds(): Promise<string[]> {
  return (await plane.liveKeys()).map(({ id }) => String(id)).sort();
}

test("revoke shows its plan and revokes nothing without --yes", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  const { code, stdout, stderr } = await revoke([String(id)]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${id} +deploy-bot .*never +- +-$`, "m"));
  expect(stderr).toContain("Nothing was revoked. To revoke these keys, run the same command with --yes.");
  expect(await liveIds()).toEqual([String(id)]);
});

test("revoke revokes a key that belongs to no stack, even while it is in use, and no other key", async () => {
  const [busy, other] = [await plane.state.createKey("deploy-bot"), await plane.state.createKey("other")];
  await plane.state.useKey(busy.id);
  const { code, stdout } = await revoke([String(busy.id), "--yes"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`revoked ${busy.id} deploy-bot\n1 revoked`)]);
  expect(await liveIds()).toEqual([String(other.id)]);
});

test("revoke names the stack that holds a key, and what to do there", async () => {
  const { id } = await plane.state.createKey("ci");
  const state = JSON.stringify(exported({ owner: "5b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a11", keys: [id] }));
  const { stdout, stderr } = await revoke([String(id), "--state", "-"], state);
  expect(stdout).toContain(`proj/dev key-${id}`);
  expect(stderr).toContain("`pulumi up --refresh` there creates a new one");
  const asJson = await revoke([String(id), "--state", "-", "--yes", "--json"], state);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    revoked: [{ id: String(id), stack: "proj/dev", role: "current" }],
  });
});

test("revoke refuses the key with which it authenticates, and then revokes no other key either", async () => {
  const own = await plane.state.createKey("admin-2");
  const other = await plane.state.createKey("other");
  const env = { ...envOf(plane), KEYPLANE_API_KEY: own.key };
  const { code, stderr } = await run(["revoke", String(other.id), String(own.id), "--yes"], { env });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`key ${own.id} is the credential in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS`),
  ]);
  await plane.rules.add({ route: "GET /auth", status: 404 });
  const unsure = await run(["revoke", String(own.id), "--yes"], { env });
  expect([unsure.code, unsure.stderr]).toEqual([1, expect.stringContaining("the service does not report whether")]);
  expect(await liveIds()).toEqual([String(own.id), String(other.id)].sort());
});

test("revoke stops if the service does not identify the calling key, even if another service does, or if an account cannot be asked", async () => {
  const own = await plane.state.createKey("admin-2");
  const second = await plane.state.createKey("ci-admin");
  const elsewhere = await startControlPlane();
  try {
    await plane.rules.add({ route: "GET /auth", status: 404, count: 1 });
    const accounts = JSON.stringify({ b: { baseUrl: elsewhere.url, apiKey: elsewhere.apiKey } });
    const env = { ...envOf(plane), KEYPLANE_API_KEY: own.key, KEYPLANE_ACCOUNTS: accounts };
    expect(await run(["revoke", String(own.id), "--yes"], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the service does not report whether"),
    });
    await plane.rules.add({ route: "GET /auth", skip: 1, count: 1, status: 403 });
    const same = JSON.stringify({ b: { apiKey: second.key } });
    const both = { ...envOf(plane), KEYPLANE_ACCOUNTS: same };
    expect(await run(["revoke", String(second.id), "--yes"], { env: both })).toMatchObject({ code: 1 });
    expect(await liveIds()).toEqual([String(own.id), String(second.id)].sort());
  } finally {
    await elsewhere.close();
  }
});

test("revoke does not report a key as revoked if the revocation was refused, even if a list lacks the key", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  await plane.rules.add({ route: "DELETE /api_keys/{key_id}", status: 403, count: null });
  await plane.rules.add({ route: "GET /api_keys", skip: 1, lacks: 0, count: null });
  const { code, stdout } = await revoke([String(id), "--yes", "--json"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { revoked: [], failed: [{ id: String(id) }] }]);
});

test("revoke reports an id that is not live with exit code 1, and still revokes the others", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  const { code, stdout } = await revoke([String(id), "999999", "--yes"]);
  expect(code).toBe(1);
  expect(stdout).toContain("999999 is not active in this account");
  expect(await liveIds()).toEqual([]);
});

test("revoke refuses an invalid id as wrong usage without repeating it, because it could be a secret", async () => {
  for (const arg of ["kp_live_4711", "0", "7.5", "-7x"]) {
    const { code, stderr } = await revoke(["7", arg, "--yes"]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(arg === "0" ? "'0'" : arg);
  }
  expect(await plane.log()).toEqual([]);
});
