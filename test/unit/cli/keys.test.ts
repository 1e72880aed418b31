import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ShownKey } from "../../../cli/keys/join";
import { nameOf, newSuffix } from "../../../provider/keys/naming";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { LIST, WHO } from "../../routes";
import { DAY, HOUR, MINUTE } from "../../times";
import { exported, sealed, strangeName, urnOf } from "./stack-file";
import { envOf, folderWith, run, start } from "./support";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(() => plane.close());

/** Runs `keys --json`. Returns what it prints about each key, by id. */
async function keysOf(
  ...args: string[]
): Promise<Record<string, Pick<ShownKey, "stack" | "flags" | "resource" | "holders">>> {
  const { code, stdout, stderr } = await run(["keys", "--json", ...args], { env: envOf(plane) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("keyplane:") });
  const { keys } = JSON.parse(stdout) as { keys: ShownKey[] };
  return Object.fromEntries(keys.map((key) => [key.id, key]));
}

test.each([[false], [true]])(
  "keys shows with one list which resource has each key, and which keys no given stack has (with the plugin: %s)",
  async (isPlugin) => {
    const urn = urnOf("ApiKey", "ci", { isPlugin });
    const [app, pending, other] = [
      newSuffix(urnOf("RotatingApiKey", "app", { isPlugin })),
      newSuffix(urn),
      newSuffix(urn),
    ];
    const names = [
      ...[nameOf("app", app, 2), nameOf("app", app, 3), nameOf("ci", pending, 1), nameOf("ci", pending, 2)],
      ...[nameOf("ci", other, 1), strangeName(), "by-hand"],
    ];
    const made: string[] = [];
    for (const name of names) made.push(String((await plane.state.createKey(name)).id));
    const [current = "", next = "", left = "", used = "", namesake = "", strange = "", byHand = ""] = made;
    await plane.state.useKey(used);
    await plane.clock.advance(16 * MINUTE);
    const rotating = { keyId: current, attempts: 2, __suffix: app };
    const folder = await folderWith({ "state.json": exported({ rotating, creating: [pending], isPlugin }) });
    const keys = await keysOf("--state", join(folder, "state.json"));
    const appUrn = urnOf("RotatingApiKey", "app", { isPlugin });
    expect(keys[current]).toMatchObject({ stack: "proj/dev", flags: [], resource: appUrn, holders: [{ urn: appUrn }] });
    expect(keys[next]).toMatchObject({ stack: "proj/dev", flags: ["orphan"], resource: appUrn });
    expect(keys[left]).toMatchObject({ stack: "proj/dev", flags: ["orphan"], resource: urn });
    expect(keys[used]).toMatchObject({ flags: ["orphan"] });
    // The tag in a name shows the stack only. Nobody used the key, so nobody seems to have it.
    expect(keys[namesake]).toMatchObject({ stack: "proj/dev", flags: ["orphan"] });
    expect(keys[namesake]?.resource).toBeUndefined();
    for (const id of [strange, byHand]) expect(keys[id]).toMatchObject({ flags: ["unmanaged"] });
    expect([keys[left]?.holders, keys[strange]?.resource]).toEqual([[], undefined]);
    // The other request asks which key is the own one.
    expect((await plane.log()).map(({ route }) => route).toSorted()).toEqual(["/api_keys", "/auth"]);
  },
);

test("keys says nothing of a key that a run in progress may be creating", async () => {
  const suffix = newSuffix(urnOf("ApiKey", "ci"));
  const { id } = await plane.state.createKey(nameOf("ci", suffix, 1));
  const folder = await folderWith({ "state.json": exported({ creating: [suffix] }) });
  expect((await keysOf("--state", join(folder, "state.json")))[id]).toMatchObject({ flags: [], stack: "proj/dev" });
});

test("keys shows the deadline of a key, and a flag once it has passed", async () => {
  const { now } = await plane.clock.read();
  const suffix = newSuffix(urnOf("ApiKey", "ci"));
  const made = [-1, 1].map((days) => plane.state.createKey(nameOf("ci", suffix, 1, now + days * DAY)));
  const [past, later] = (await Promise.all(made)).map(({ id }) => String(id));
  const keys = await keysOf();
  expect(keys[past ?? ""]).toMatchObject({ flags: ["expired"], expiresAt: expect.stringMatching(/:00\.000Z$/) });
  expect(keys[later ?? ""]).toMatchObject({ flags: [], expiresAt: expect.stringMatching(/:00\.000Z$/) });
});

test("keys shows which resource holds a key, and as which of its keys", async () => {
  const made = await Promise.all(["now", "before", "old"].map((name) => plane.state.createKey(name)));
  const [now, before, old] = made.map(({ id }) => String(id));
  const state = exported({ rotating: { keyId: now, previousKeyId: before, pendingRevocations: [old] } });
  const { stdout } = await run(["keys", "--json", "--state", "-"], { env: envOf(plane), input: JSON.stringify(state) });
  const { keys } = JSON.parse(stdout) as { keys: ShownKey[] };
  const role = (id = "") => keys.find((key) => key.id === id)?.holders[0]?.role;
  expect([now, before, old].map(role)).toEqual(["current", "previous", "to be revoked"]);
  const table = await run(["keys", "--state", "-"], { env: envOf(plane), input: JSON.stringify(state) });
  expect(table.stdout).toMatch(new RegExp(`^${before} .* proj/dev +app \\(previous\\)`, "m"));
});

/** A state in which a `RotatingApiKey` with these outputs is left to be deleted. */
function replacing(rotating: object, more: object = {}) {
  const state = exported({ rotating });
  const { resources } = state.deployment as { resources: { id?: string }[] };
  const marked = resources.map((each) => (each.id === "handle" ? { ...each, delete: true, ...more } : each));
  return { ...state, deployment: { ...state.deployment, resources: marked } };
}

test("keys does not show the key of a replaced resource as a current one", async () => {
  const { id } = await plane.state.createKey("old");
  for (const [outputs, role] of [
    [{}, "(to be revoked)"],
    [{ revokeOnDelete: false }, "(kept)"],
  ] as const) {
    const input = JSON.stringify(replacing({ keyId: String(id), ...outputs }));
    const { stdout } = await run(["keys", "--state", "-"], { env: envOf(plane), input });
    expect(stdout).toContain(`app ${role}`);
  }
});

test("keys goes by the newest of several states of a stack, in whatever order they are given", async () => {
  const { id } = await plane.state.createKey("by-hand");
  const [keyId, __suffix] = [String(id), newSuffix(urnOf("RotatingApiKey", "app"))];
  const folder = await folderWith({
    "old.json": exported({ rotating: { keyId, __suffix }, savedAt: "2026-11-01T00:00:00Z" }),
    "new.json": exported({ rotating: { previousKeyId: keyId, __suffix }, savedAt: "2026-11-02T00:00:00Z" }),
    "gone.json": exported({ rotating: { __suffix }, savedAt: "2026-11-03T00:00:00Z" }),
    // A stack of the same name in another backend.
    "other.json": exported({ rotating: { keyId: "1", name: "x" }, savedAt: "2026-11-04T00:00:00Z" }),
  });
  const [old = "", newer = "", gone = "", other = ""] = ["old", "new", "gone", "other"].map((name) =>
    join(folder, `${name}.json`),
  );
  expect((await keysOf("--state", newer, old, other))[id]).toMatchObject({ holders: [{ role: "previous" }] });
  expect((await keysOf("--state", gone, newer, old))[id]).toMatchObject({ flags: ["unmanaged"] });
});

test("keys and revoke name the states that do not show all their keys", async () => {
  const { id } = await plane.state.createKey("by-hand");
  const input = JSON.stringify(exported({ rotating: { keyId: sealed } }));
  for (const args of [["keys"], ["revoke", String(id)]]) {
    const { stdout, stderr } = await run([...args, "--json", "--state", "-"], { env: envOf(plane), input });
    expect(stderr).toContain("standard input contains encrypted key ids: no state seems to hold these keys (urn:");
    expect(JSON.parse(stdout)).toMatchObject({ hidden: ["standard input"] });
  }
});

test("keys shows which keys stay live if their resource is deleted", async () => {
  const made = await Promise.all(["now", "before", "old", "named"].map((name) => plane.state.createKey(name)));
  const [now, before, old, named] = made.map(({ id }) => String(id));
  const shown = async (rotating: object) => {
    const input = JSON.stringify(exported({ rotating }));
    const { stdout } = await run(["keys", "--state", "-"], { env: envOf(plane), input });
    const lines = stdout.split("\n").filter((line) => line.includes("proj/dev"));
    return Object.fromEntries(lines.map((line) => [line.split(" ")[0], line.replace(/^.*proj\/dev +/, "").trim()]));
  };
  const rotating = { keyId: now, previousKeyId: before, pendingRevocations: [old], revokeOnDelete: false };
  expect(await shown(rotating)).toEqual({
    [now ?? ""]: "app (stays)",
    [before ?? ""]: "app (previous, stays)",
    [old ?? ""]: "app (to be revoked)",
  });
  expect(await shown({ keyId: named, revokeOnDelete: false, revokeNow: named })).toEqual({ [named ?? ""]: "app" });
  expect(await shown({ keyId: now, revokeOnDelete: true })).toEqual({ [now ?? ""]: "app" });
});

test("--fail-on fails a CI job if there are keys of a kind; the key with which the command authenticates is not unmanaged", async () => {
  const { id } = await plane.state.createKey("by-hand");
  await plane.clock.advance(100 * DAY);
  const state = JSON.stringify(exported({}));
  const check = (what: string, ...args: string[]) =>
    run(["keys", "--json", "--fail-on", what, ...args, "--state", "-"], { env: envOf(plane), input: state });
  for (const what of ["unused", "unmanaged", "older-than,orphan", "orphan, unused"]) {
    const { code, stdout } = await check(what, "--older-than", "99d");
    const { failing, flagged } = JSON.parse(stdout) as { failing: string[]; flagged: object };
    expect(flagged).toMatchObject({ unmanaged: 1, credential: 1 });
    expect([what, code, failing.includes(String(id))]).toEqual([what, 1, true]);
    if (what === "unmanaged") expect(failing).toEqual([String(id)]);
  }
  const later = ["--older-than", "101d", "--unused-for", "101d"];
  for (const what of ["orphan", "unused", "older-than"]) expect((await check(what, ...later)).code).toBe(0);
});

test("--fail-on unmanaged spares the own key also if the service does not say which one it is", async () => {
  const input = JSON.stringify(exported({}));
  const args = ["keys", "--json", "--fail-on", "unmanaged", "--state", "-"];
  await plane.rules.add({ route: WHO, count: null, status: 404 });
  expect((await run(args, { env: envOf(plane), input })).code).toBe(0);
  const { id } = await plane.state.createKey("by-hand");
  await plane.state.useKey(id);
  // An account that cannot be asked hides no key.
  const env = {
    ...envOf(plane),
    KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey: "k", baseUrl: "http://127.0.0.1:9/" } }),
  };
  const { code, stdout } = await run(args, { env: { ...env, KEYPLANE_MAX_RETRIES: "0" }, input });
  expect([code, JSON.parse(stdout).failing]).toEqual([1, [String(id)]]);
});

test.each([["old"], ["unused=1d"], ["older-than"], ["unmanaged"], [""]])(
  "--fail-on %j is wrong usage",
  async (what) => {
    const { code, stderr } = await run(["keys", "--fail-on", what], { env: envOf(plane) });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--fail-on")]);
    expect(await plane.count()).toBe(0);
  },
);

test("a key with the id of another account's key belongs to no stack, which its name shows", async () => {
  const strange = await plane.state.createKey("by-hand");
  const own = await plane.state.createKey("own");
  const id = String(strange.id);
  const rotating = { keyId: id, name: "elsewhere", previousKeyId: String(own.id), previousName: "own" };
  const folder = await folderWith({ "dev.json": exported({ rotating }) });
  const args = ["--state", join(folder, "dev.json")];
  const env = envOf(plane);
  const { code, stderr } = await run(["keys", ...args, "--fail-on", "unmanaged"], { env });
  expect([code, stderr]).toEqual([1, `--fail-on: ${id}\n`]);
  const revoking = await run(["revoke", id, String(own.id), ...args], { env });
  expect(revoking.stdout).toMatch(new RegExp(`^${id} .* -$`, "m"));
  expect(revoking.stderr).toMatch(new RegExp(`^proj/dev .* key ${own.id},`));
});

test("keys reports no key as unmanaged without a state", async () => {
  const { id } = await plane.state.createKey("by-hand");
  expect((await keysOf())[id]?.flags).toEqual([]);
});

test("keys marks old and unused keys by the service's clock and the given limits", async () => {
  const idle = await plane.state.createKey("idle");
  const busy = await plane.state.createKey("busy");
  await plane.clock.advance(100 * DAY);
  const young = await plane.state.createKey("young");
  await plane.state.useKey(busy.id);
  expect((await keysOf())[idle.id]?.flags).toEqual(["unused"]);
  const keys = await keysOf("--unused-for", "15w", "--older-than", "99d");
  expect([keys[idle.id]?.flags, keys[busy.id]?.flags, keys[young.id]?.flags]).toEqual([
    ["older-than"],
    ["older-than"],
    [],
  ]);
});

test("keys prints a table, without escape sequences if the output is not a terminal", async () => {
  const { id } = await plane.state.createKey("by-hand");
  await plane.state.useKey(id, HOUR * 3, "192.0.2.7");
  const { stdout } = await run(["keys"], { env: { ...envOf(plane), NO_COLOR: "1" } });
  expect(stdout).toMatch(/^ID +NAME +AGE +LAST USE +FROM +STACK +RESOURCE +FLAGS$/m);
  expect(stdout).toMatch(new RegExp(`^${id} +by-hand +\\S+ \\S+ +3 h ago +192\\.0\\.2\\.7 +-$`, "m"));
  expect(stdout).not.toContain("\u001b");
});

test("keys reads several states from files and standard input, and also checkpoint files", async () => {
  const one = await plane.state.createKey("one");
  const two = await plane.state.createKey("two");
  const { deployment } = exported({ stack: "prod", keys: [two.id] });
  const folder = await folderWith({ "prod.json": { version: 3, checkpoint: { stack: "x", latest: deployment } } });
  const args = ["keys", "--json", "--state", "-", join(folder, "prod.json")];
  const input = JSON.stringify(exported({ stack: "dev", keys: [one.id] }));
  const { stdout } = await run(args, { env: envOf(plane), input });
  const { keys } = JSON.parse(stdout) as { keys: { id: string; stack?: string }[] };
  const stacks = Object.fromEntries(keys.map(({ id, stack }) => [id, stack]));
  expect([stacks[one.id], stacks[two.id]]).toEqual(["proj/dev", "proj/prod"]);
});

test.each<[string, string, RegExp]>([
  ["does not exist", "", /nothing\.json does not exist/],
  ["is no JSON", "sk_verysecret {", /is not JSON/],
  ["is something else", '{"resources":[]}', /neither the output of `pulumi stack export` nor a checkpoint file/],
])(
  "keys refuses a state that %s before any request, and names the file without quoting it",
  async (_, text, problem) => {
    const folder = await folderWith(text === "" ? {} : { "nothing.json": text });
    const args = ["keys", "--state", join(folder, "nothing.json")];
    const { code, stdout, stderr } = await run(args, { env: envOf(plane) });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(problem);
    expect(stderr).not.toContain("verysecret");
    expect(await plane.count()).toBe(0);
  },
);

test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ["no address", [], { KEYPLANE_API_KEY: "k" }, /no base URL is set. Set KEYPLANE_BASE_URL/],
  ["no credential", [], { KEYPLANE_BASE_URL: "https://host.example/api/v2" }, /KEYPLANE_API_KEY/],
  ["an invalid age", ["--unused-for", "3 months"], {}, /--unused-for.*whole number/],
  ["the credential on the command line", ["--api-key=kp_verysecret"], {}, /unknown option '--api-key=\.\.\.'/],
])("keys with %s fails with a remedy and exit code 2", async (_, args, env, message) => {
  const { code, stdout, stderr } = await run(["keys", ...args], { env });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/verysecret|\n\s+at /);
});

test("keys --json also prints an error as JSON, without the credential", async () => {
  const env = { ...envOf(plane), KEYPLANE_API_KEY: "kp_wrong_but_secret_0123456789" };
  const { code, stdout, stderr } = await run(["keys", "--json"], { env });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    error: { code: "KP-AUTH", message: expect.stringMatching(/401.*Check KEYPLANE_API_KEY/) },
  });
  expect(stdout + stderr).not.toContain("kp_wrong_but_secret");
});

test("a command without an address and an API key names both, and says that it reads no configuration of a stack", async () => {
  const { code, stderr } = await run(["keys"], { env: { KEYPLANE_BASE_URL: "", KEYPLANE_API_KEY: "" } });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^keyplane: no base URL is set\. .*KEYPLANE_BASE_URL\. Also, no API key is set\. .*KEYPLANE_API_KEY\./,
  );
  expect(stderr).toContain("The configuration of a stack is not read");
});

test("keys --organization shows to which project each key is limited", async () => {
  const organization = await startControlPlane({ projects: [{ id: "ours" }] });
  const make = (body: object) =>
    fetch(`${organization.url}/organizations/org-local-1/api_keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${organization.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await make({ key_name: "limited", project_id: "ours" });
  await make({ key_name: "unlimited" });
  const args = ["keys", "--organization", "org-local-1"];
  const shown = async () => (await start(args, { env: envOf(organization) }).done).stdout;
  expect(await shown()).toMatch(/ unlimited .* all (.|\n)* limited .* ours /);
  await organization.state.switch({ projectKeys: "unsaid" });
  expect(await shown()).toMatch(/ limited .* \? /);
  await organization.close();
});

test("keys ends cleanly at Ctrl+C with exit code 130", async () => {
  await plane.rules.add({ route: LIST, hold: "before" });
  const { child, done } = start(["keys"], { env: envOf(plane) });
  await plane.held.wait();
  child.kill("SIGINT");
  expect(await done).toEqual({ code: 130, stdout: "", stderr: "" });
  await plane.held.release();
});

test("keys names the organization in which a stack has other keys, because its list does not show them", async () => {
  const folder = await folderWith({
    "state.json": exported({ rotating: { keyId: "7", organizationId: "org-local-1" } }),
  });
  const args = ["keys", "--json", "--state", join(folder, "state.json")];
  const { stdout } = await run(args, { env: envOf(plane) });
  expect(JSON.parse(stdout)).toMatchObject({ warnings: [expect.stringContaining("--organization org-local-1")] });
  const inside = await run([...args, "--organization", "org-local-1"], { env: envOf(plane) });
  expect(JSON.parse(inside.stdout)).toMatchObject({ warnings: [] });
});
