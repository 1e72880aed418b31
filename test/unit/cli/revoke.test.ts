import { afterEach, beforeEach, expect, test } from "vitest";
import { nameOf, newSuffix } from "../../../provider/keys/naming";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { DELETE, LIST, WHO } from "../../routes";
import { exported } from "./stack-file";
import { type Ended, envOf, run, start } from "./support";

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
  const { code, stdout, stderr } = await revoke([String(id), "--state", "-"], JSON.stringify(exported({ keys: [] })));
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${id} +deploy-bot .*never +- +-$`, "m"));
  expect(stderr).toContain("Nothing was revoked. To revoke these keys, run the same command with --yes.");
  expect(await liveIds()).toEqual([String(id)]);
});

test("revoke does not say that nobody holds a key if it was given no state", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  expect((await revoke([String(id)])).stdout).toMatch(/ \? \(see --stack\)$/m);
});

test("revoke revokes a key that belongs to no stack, even while it is in use, and no other key", async () => {
  const [busy, other] = [await plane.state.createKey("deploy-bot"), await plane.state.createKey("other")];
  await plane.state.useKey(busy.id);
  const { code, stdout } = await revoke([String(busy.id), "--yes"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`revoked ${busy.id} deploy-bot\n1 revoked`)]);
  expect(await liveIds()).toEqual([String(other.id)]);
});

test("revoke ends within the request timeout at Ctrl+C while an answer drips, and says that the key may be revoked", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  await plane.rules.add({ route: DELETE, fault: "drip-body" });
  const env = { ...envOf(plane), KEYPLANE_REQUEST_TIMEOUT: "1s" };
  const { child, done } = start(["revoke", String(id), "--yes"], { env });
  await expect.poll(() => plane.count("DELETE"), { interval: 20, timeout: 20_000 }).toBe(1);
  const begun = performance.now();
  child.kill("SIGINT");
  const { code, stdout } = await done;
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect([code, stdout]).toEqual([130, expect.stringContaining("The service may have applied it")]);
});

test("revoke names the stack that holds a key, and what to do there", async () => {
  const { id } = await plane.state.createKey("ci");
  const state = JSON.stringify(exported({ keys: [id] }));
  const { stdout, stderr } = await revoke([String(id), "--state", "-"], state);
  expect(stdout).toContain(`proj/dev key-${id}`);
  expect(stderr).toContain("`pulumi up --refresh` there creates a new one");
  const asJson = await revoke([String(id), "--state", "-", "--yes", "--json"], state);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    revoked: [{ id: String(id), holders: [{ stack: "proj/dev", role: "current" }] }],
  });
});

test("revoke does not say that a refresh replaces a previous key", async () => {
  const { id } = await plane.state.createKey("ci-before");
  const rotating = { keyId: "1", previousKeyId: String(id) };
  const state = JSON.stringify(exported({ rotating }));
  const { stderr } = await revoke([String(id), "--state", "-"], state);
  expect(stderr).toContain(`proj/dev holds key ${id}, but not as a current key: nothing replaces it.`);
  expect(stderr).not.toContain("creates a new one");
});

test("revoke refuses the key with which it authenticates, and then revokes no other key either", async () => {
  const own = await plane.state.createKey("admin-2");
  const other = await plane.state.createKey("other");
  const env = { ...envOf(plane), KEYPLANE_API_KEY: own.key };
  const { code, stderr } = await run(["revoke", String(other.id), String(own.id), "--yes"], { env });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`key ${own.id} is the credential of KEYPLANE_API_KEY, or may be`),
  ]);
  await plane.rules.add({ route: WHO, status: 404, count: null });
  const untold = await run(["revoke", String(own.id), "--yes"], { env });
  expect([untold.code, untold.stderr]).toEqual([1, expect.stringContaining("nothing proves that it is another key")]);
  expect(await liveIds()).toEqual([String(own.id), String(other.id)].sort());
});

test("revoke asks each configured account which key it uses, also one at another spelling of the address", async () => {
  const second = await plane.state.createKey("ci-admin");
  const spelled = plane.url.replace("127.0.0.1", "localhost");
  const accounts = { b: { baseUrl: spelled, apiKey: second.key } };
  const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify(accounts) };
  const refused = { code: 1, stderr: expect.stringContaining("is the credential of account b") };
  expect(await run(["revoke", String(second.id), "--yes"], { env })).toMatchObject(refused);
  // Without a call that tells, the list shows which key has just been used.
  await plane.rules.add({ route: WHO, status: 404, count: null });
  expect(await run(["revoke", String(second.id), "--yes"], { env })).toMatchObject(refused);
  expect(await liveIds()).toEqual([String(second.id)]);
});

test("revoke revokes another key if a service that does not tell its caller lists it without a new use", async () => {
  const busy = await plane.state.createKey("deploy-bot");
  await plane.state.useKey(busy.id);
  await plane.rules.add({ route: WHO, status: 404, count: null });
  expect(await revoke([String(busy.id), "--yes"])).toMatchObject({ code: 0 });
  expect(await liveIds()).toEqual([]);
});

test.each(["77", "another key"])(
  "revoke takes no id from GET /auth for that of the caller's key that is %s",
  async (told) => {
    const own = await plane.state.createKey("admin-2");
    const other = await plane.state.createKey("deploy-bot");
    await plane.state.useKey(other.id, 60_000);
    const auth_data = told === "77" ? told : String(other.id);
    await plane.rules.add({ route: WHO, count: null, patch: { auth_data } });
    const env = { ...envOf(plane), KEYPLANE_API_KEY: own.key };
    const { code, stderr } = await run(["revoke", String(own.id), "--yes"], { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`key ${own.id} is the credential of KEYPLANE_API_KEY, or may be`),
    ]);
    expect((await run(["revoke", String(other.id), "--yes"], { env })).code).toBe(0);
    expect(await liveIds()).toEqual([String(own.id)]);
  },
);

test("revoke refuses if no key shows the use by a list, because nothing then proves which one the caller's is", async () => {
  const busy = await Promise.all(["one", "two"].map((name) => plane.state.createKey(name)));
  await Promise.all(busy.map(({ id }) => plane.state.useKey(id)));
  const own = await plane.state.createKey("admin-2");
  await plane.rules.add({ route: WHO, count: null, status: 404 });
  await plane.rules.add({ route: LIST, count: null, lacks: 0 });
  const env = { ...envOf(plane), KEYPLANE_API_KEY: own.key };
  expect(await run(["revoke", String(busy[0]?.id), "--yes"], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("nothing proves that it is another key"),
  });
  expect(await plane.liveKeys()).toHaveLength(3);
});

test("revoke sends the credential of another account to no address but its own", async () => {
  const away = await startControlPlane();
  try {
    const { id } = await away.state.createKey("deploy-bot");
    const env = {
      ...envOf(plane),
      KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey: away.apiKey, baseUrl: away.url } }),
    };
    const at = ["--account", "eu"];
    expect(await run(["revoke", String(id), ...at, "--yes"], { env })).toMatchObject({ code: 0 });
    expect((await plane.log()).map(({ route }) => route)).toContain("/auth");
    const callers = (await away.log()).map(({ status }) => status);
    expect(callers).not.toContain(401);
    // Without an address of its own, nothing says which key an account uses.
    const unknown = { KEYPLANE_API_KEY: plane.apiKey, KEYPLANE_ACCOUNTS: env.KEYPLANE_ACCOUNTS };
    const next = await away.state.createKey("deploy-bot");
    const { code, stderr } = await start(["revoke", String(next.id), ...at, "--yes"], { env: unknown }).done;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /may be the credential of KEYPLANE_API_KEY\. .*no base URL is set.*, leave it out of the env/,
      ),
    ]);
    expect((await away.log()).map(({ status }) => status)).not.toContain(401);
  } finally {
    await away.close();
  }
});

test("revoke stops if an account cannot be asked, and goes on if the service rejects its credential", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  const second = await plane.state.createKey("ci-admin");
  const envWith = (apiKey: string) => ({ ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify({ b: { apiKey } }) });
  await plane.rules.add({ route: WHO, skip: 1, count: 1, status: 403 });
  expect(await run(["revoke", String(id), "--yes"], { env: envWith(second.key) })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("may be the credential of account b. "),
  });
  expect(await run(["revoke", String(id), "--yes"], { env: envWith("kp_revoked_0123456789") })).toMatchObject({
    code: 0,
  });
  expect(await liveIds()).toEqual([String(second.id)]);
});

test("revoke and reap say why an account cannot be asked, and what to do, instead of naming its credential", async () => {
  const { id } = await plane.state.createKey(nameOf("ci", newSuffix("urn"), 1, Date.now() - 60_000));
  const eu = { baseUrl: "http://127.0.0.1:1/api/v2", apiKey: "kp_eu_0123456789" };
  const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify({ eu }), KEYPLANE_REQUEST_TIMEOUT: "1s" };
  const why =
    /account eu could not be asked which key it uses: .*ECONNREFUSED.* leave it out of the environment for this command/;
  const refused = await run(["revoke", String(id), "--yes", "--json"], { env });
  const { error } = JSON.parse(refused.stdout);
  expect([refused.code, error.code, error.message]).toEqual([1, "KP-OWN-CREDENTIAL", expect.stringMatching(why)]);
  expect(error.message).not.toMatch(/is the credential|stop its users/);
  const reaped = await run(["reap", "--yes", "--json"], { env });
  expect([reaped.code, JSON.parse(reaped.stdout)]).toMatchObject([
    1,
    { revoked: [], kept: [{ reason: "credential" }], warnings: [expect.stringMatching(why)] },
  ]);
  expect(reaped.stderr.match(/could not be asked/g)).toHaveLength(1);
  // The list of an account can fail, too.
  const b = { apiKey: (await plane.state.createKey("ci-admin")).key };
  await plane.rules.add({ route: LIST, skip: 1, count: 1, status: 403 });
  const unlisted = await run(["revoke", String(id)], {
    env: { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify({ b }) },
  });
  expect(unlisted.stderr).toMatch(/may be the credential of account b\. .* which key it uses: GET .* returned 403/);
  expect(await liveIds()).toContain(String(id));
});

test("revoke does not report a key as revoked if the revocation was refused, even if a list lacks the key", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  await plane.rules.add({ route: DELETE, status: 403, count: null });
  await plane.rules.add({ route: LIST, skip: 1, lacks: 0, count: null });
  const { code, stdout } = await revoke([String(id), "--yes", "--json"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { revoked: [], failed: [{ id: String(id) }] }]);
});

test("revoke reports an id that is not live with exit code 1, and still revokes the others", async () => {
  const { id } = await plane.state.createKey("deploy-bot");
  const { code, stdout } = await revoke([String(id), "999999", "--yes"]);
  expect(code).toBe(1);
  expect(stdout).toContain("999999 is not a live key of this account");
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

test("revoke names the organization in which a stack has a key that its list lacks", async () => {
  const state = exported({ rotating: { keyId: "7", organizationId: "org-local-1" } });
  const { code, stderr } = await revoke(["7", "--state", "-"], JSON.stringify(state));
  expect([code, stderr]).toEqual([1, expect.stringContaining("--organization org-local-1")]);
});
