import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nameOf, newSuffix } from "../../../provider/keys/naming";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { MINUTE } from "../../times";
import { exported, type StackFile, sealed, strangeName, urnOf } from "./stack-file";
import { type Ended, envOf, folderWith, run } from "./support";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(() => plane.close());

/** Keys with these names, which were created an hour ago. */
async function oldKeys(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(String((await plane.state.createKey(name)).id));
  await plane.clock.advance(60 * MINUTE);
  return ids;
}

/** Names of creations that were interrupted, and the state with them as pending creations. */
function interrupted(count: number, file: StackFile = {}): { readonly names: string[]; readonly state: StackFile } {
  const creating = Array.from({ length: count }, () => newSuffix(urnOf("ApiKey", "ci", file)));
  return { names: creating.map((suffix) => nameOf("ci", suffix, 1)), state: { ...file, creating } };
}

function sweep(args: readonly string[], input?: string): Promise<Ended> {
  return run(["sweep", ...args], { env: envOf(plane), ...(input === undefined ? {} : { input }) });
}

/** Runs a sweep with a state. */
function sweepBy(file: StackFile, ...args: string[]): Promise<Ended> {
  return sweep(["--state", "-", ...args], JSON.stringify(exported(file)));
}

async function revoked(): Promise<string[]> {
  return (await plane.log()).flatMap(({ effects }) =>
    effects.flatMap((effect) => (effect.kind === "key-revoked" ? [String(effect.id)] : [])),
  );
}

describe("by a pending creation", () => {
  test("sweep shows its plan and revokes nothing without --yes", async () => {
    const { names, state } = interrupted(1);
    const [id = ""] = await oldKeys(...names);
    const { code, stdout, stderr } = await sweepBy(state);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${id} .*revoke$`, "m"));
    expect(stdout).toContain("1 to revoke, 0 to keep");
    expect(stderr).toContain("Do not sweep while an `up` of the stack is running");
    expect(await revoked()).toEqual([]);
  });

  test.each([[false], [true]])(
    "sweep revokes what a pending creation names, and no other key (with the plugin: %s)",
    async (isPlugin) => {
      const { names, state } = interrupted(2, { isPlugin });
      const [first = "", second = ""] = await oldKeys(...names, strangeName(), "by-hand");
      const { code, stdout } = await sweepBy(state, "--yes", "--json");
      const { revoked: told, kept } = JSON.parse(stdout);
      expect([code, told.map(({ id }: { id: string }) => id)]).toEqual([0, expect.arrayContaining([first, second])]);
      expect(kept).toMatchObject([{ reason: "no proof" }]);
      expect((await revoked()).sort()).toEqual([first, second].sort());
    },
  );

  test("sweep leaves a key alone that any given state holds in any way", async () => {
    const { names, state } = interrupted(6);
    const ids = await oldKeys(...names);
    const [key = "", current, previous, pending, elsewhere = "", left = ""] = ids;
    const rotating = { keyId: current, previousKeyId: previous, pendingRevocations: [pending], key: sealed };
    const folder = await folderWith({ "prod.json": exported({ stack: "prod", keys: [elsewhere] }) });
    const args = ["--state", "-", join(folder, "prod.json"), "--yes"];
    const { code, stdout } = await sweep(args, JSON.stringify(exported({ ...state, keys: [key], rotating })));
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 to revoke, 0 to keep, 5 in a state")]);
    expect(await revoked()).toEqual([left]);
  });

  test("sweep goes by the newest state of a stack, so that an old pending creation does not name a key that was released", async () => {
    const suffix = newSuffix(urnOf("RotatingApiKey", "app"));
    const [id = "", left = ""] = await oldKeys(nameOf("app", suffix, 1), nameOf("app", suffix, 2));
    const folder = await folderWith({
      "old.json": exported({ creating: [suffix], savedAt: "2026-11-01T00:00:00Z" }),
      "new.json": exported({ rotating: { keyId: id, attempts: 2, __suffix: suffix }, savedAt: "2026-11-02T00:00:00Z" }),
    });
    const { stdout } = await sweep(["--state", join(folder, "old.json"), join(folder, "new.json"), "--yes", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ planned: [], held: 1, kept: [{ id: left, reason: "no proof" }] });
    expect(await revoked()).toEqual([]);
  });

  test("sweep keeps a key that somebody used, whatever the options are", async () => {
    const { names, state } = interrupted(2);
    const [used = "", unused] = await oldKeys(...names);
    await plane.state.useKey(used, 30 * MINUTE);
    const { stdout } = await sweepBy(state, "--prefix", "ci", "--yes");
    expect(stdout).toMatch(new RegExp(`^${used} .*keep: .*somebody used it`, "m"));
    expect(await revoked()).toEqual([unused]);
  });

  test("sweep keeps a key of the last minutes that no pending creation names, because a run may be about to save it", async () => {
    const { names, state } = interrupted(1);
    const named = await plane.state.createKey(names[0] ?? "");
    await plane.state.createKey(strangeName());
    const { stdout } = await sweepBy(state, "--prefix", "ci", "--yes");
    expect(stdout).toContain("keep: it is younger than an hour");
    expect(await revoked()).toEqual([String(named.id)]);
  });

  test("sweep revokes nothing if the service does not say what time it is", async () => {
    const { names, state } = interrupted(1);
    await oldKeys(...names);
    await plane.rules.add({ route: "GET /api_keys", headers: { Date: "" }, count: null });
    expect((await sweepBy(state, "--yes")).stdout).toContain("keep: the service's answer does not say what time it is");
    expect(await revoked()).toEqual([]);
  });

  test("sweep --organization covers the organization's keys and leaves the account's own keys alone", async () => {
    const { names, state } = interrupted(2);
    const [own = ""] = await oldKeys(names[0] ?? "");
    const answer = await fetch(`${plane.url}/organizations/org-local-1/api_keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ key_name: names[1] }),
    });
    const { id } = (await answer.json()) as { id: number };
    await plane.clock.advance(60 * MINUTE);
    expect((await sweepBy(state, "--organization", "org-local-1", "--yes")).code).toBe(0);
    expect(await revoked()).toEqual([String(id)]);
    expect((await plane.liveKeys()).map((key) => String(key.id))).toContain(own);
  });
});

test.each<[string, object, readonly string[], RegExp[]]>([
  ["an organization", { organizationId: "org-1" }, [], [/ organization org-1\. .* with --organization org-1, too/]],
  [
    "an organization, in another one",
    { organizationId: "org-1" },
    ["--organization", "org-local-1"],
    [/ with --organization org-1, too/],
  ],
  [
    "an organization of an account",
    { account: "eu", organizationId: "org-1" },
    [],
    [/ organization org-1 of account eu\. .* with --account eu and --organization org-1, too/],
  ],
  ["the account, in an organization", {}, ["--organization", "org-local-1"], [/ with no --organization, too/]],
  ["the account, in another one", {}, ["--account", "us"], [/ of KEYPLANE_API_KEY\. .* with no --account, too/]],
  [
    "a place that is encrypted",
    { organizationId: sealed },
    [],
    [/ encrypts\. .* with its --account or --organization/],
  ],
  ["its own place", { organizationId: "org-local-1" }, ["--organization", "org-local-1"], []],
])("sweep names the options of a sweep that finds what was begun in %s", async (_, scope, args, expected) => {
  const { state } = interrupted(2, { scope });
  const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify({ us: { apiKey: plane.apiKey } }) };
  const input = JSON.stringify(exported(state));
  const { code, stdout, stderr } = await run(["sweep", "--state", "-", "--yes", "--json", ...args], { env, input });
  const { warnings } = JSON.parse(stdout) as { warnings: string[] };
  expect([code, warnings]).toEqual([0, expected.map((warning) => expect.stringMatching(warning))]);
  expect(stderr).toContain(warnings.join("\n"));
});

test("sweep does not show the name of an account that can be a secret in the wrong place", async () => {
  const account = "kp7f3c9a1b2d4e5f60718293a4b5c6d7";
  const { state } = interrupted(1, { scope: { account } });
  const { stdout, stderr } = await sweepBy(state);
  expect(stdout).toBe("0 to revoke, 0 to keep\n");
  expect(stderr).toMatch(/--account \[account [a-z2-7]{8}\], too/);
  expect(stdout + stderr).not.toContain(account);
});

test("sweep shows the next number of a rotation that was interrupted, and does not revoke it by a state in a file", async () => {
  const suffix = newSuffix(urnOf("RotatingApiKey", "app"));
  const [current, next = ""] = await oldKeys(nameOf("app", suffix, 2), nameOf("app", suffix, 3));
  const { stdout } = await sweepBy({ rotating: { keyId: current, attempts: 2, __suffix: suffix } }, "--yes", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ planned: [], kept: [{ id: next, reason: "no history" }], held: 1 });
  expect(await revoked()).toEqual([]);
});

describe("by a prefix", () => {
  test("sweep shows the other keys that were never used, and revokes those with the prefix", async () => {
    const names = [strangeName("pr-7-ci"), strangeName("prod-ci"), "pr-7-by-hand", strangeName("pr-7-app")];
    const [selected = "", other = "", , used = ""] = await oldKeys(...names);
    await plane.state.useKey(used);
    const shown = await sweepBy({}, "--yes", "--json");
    const { kept } = JSON.parse(shown.stdout) as { kept: { id: string; reason: string }[] };
    expect(kept.map(({ id, reason }) => [id, reason]).sort()).toEqual([
      [selected, "no proof"],
      [other, "no proof"],
    ]);
    expect(await revoked()).toEqual([]);
    const { code, stdout } = await sweepBy({}, "--prefix", "pr-7-", "--yes");
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 to revoke, 0 to keep")]);
    expect(await revoked()).toEqual([selected]);
  });

  test("sweep needs no state for it, and says that a stack may still hold the keys", async () => {
    const [id] = await oldKeys(strangeName());
    const { code, stderr } = await sweep(["--prefix", "ci", "--yes"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("No state was given, so keys that a stack still holds"),
    ]);
    expect(await revoked()).toEqual([id]);
  });

  test("sweep keeps a key of the last minutes, and one that a given state holds", async () => {
    const [held = ""] = await oldKeys(strangeName());
    await plane.state.createKey(strangeName());
    const { stdout } = await sweepBy({ keys: [held] }, "--prefix", "ci", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ planned: [], kept: [{ reason: "under way" }], held: 1 });
    expect(await revoked()).toEqual([]);
  });

  test("sweep never revokes a key with which a configured account authenticates", async () => {
    const signs = await plane.state.createKey(strangeName());
    const [other] = await oldKeys(strangeName());
    const accounts = { second: { apiKey: signs.key }, broken: { apiKey: "kp_revoked_0123456789" } };
    const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify(accounts) };
    const { code, stdout } = await run(["sweep", "--prefix", "ci", "--yes"], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining("keep: in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS")]);
    expect(await revoked()).toEqual([other]);
  });

  test.each([[""], ["CI"], ["-ci"], ["ci_"]])("the prefix %j is wrong usage", async (prefix) => {
    const { code, stderr } = await sweep([`--prefix=${prefix}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--prefix")]);
    expect(await plane.count()).toBe(0);
  });
});

describe("with --yes", () => {
  test("sweep spares a key that somebody starts to use between the plan and the revocation", async () => {
    const { names, state } = interrupted(2);
    const [first = "", second = ""] = await oldKeys(...names);
    await plane.rules.add({ route: "GET /api_keys", skip: 2, hold: "before" });
    const running = sweepBy(state, "--yes");
    await plane.held.wait();
    await plane.state.useKey(first);
    await plane.held.release();
    const { code, stdout } = await running;
    expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^skipped ${first} .*somebody used it`, "m"))]);
    expect(await revoked()).toEqual([second]);
  });

  test("sweep decides about each key when its turn comes, and not before it revokes the first one", async () => {
    const [last = "", , first = ""] = await oldKeys(strangeName(), strangeName(), strangeName());
    await plane.rules.add({ route: "DELETE /api_keys/{key_id}", hold: "before" });
    const running = sweep(["--prefix", "ci", "--yes", "--json"]);
    await plane.held.wait();
    await plane.state.useKey(last);
    await plane.held.release();
    const { code, stdout } = await running;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { revoked: [{ id: first }, {}], skipped: [{ id: last }] }]);
    expect(await revoked()).not.toContain(last);
  });

  test("sweep does not report a key as revoked that is still in the list, or that may be live", async () => {
    const { names, state } = interrupted(2);
    const [lied = "", lost = ""] = await oldKeys(...names);
    const body = { id: Number(lied), revoked: true };
    await plane.rules.add({ route: `DELETE /api_keys/${lied}`, status: 200, body, count: null });
    await plane.rules.add({ route: `DELETE /api_keys/${lost}`, fault: "reset", commit: "before", count: null });
    // The list after the lost answer.
    await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400 });
    const { code, stdout } = await sweepBy(state, "--yes");
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^may be live ${lost} .*was sent, but not answered`, "m"));
    expect(stdout).toMatch(new RegExp(`^still live ${lied} .*: is still in the list$`, "m"));
    expect(stdout).toContain("0 revoked, 2 still live or unknown: run it again");
  });

  test("sweep reports keys that cannot be revoked with the reason and exit code 1", async () => {
    const { names, state } = interrupted(2);
    const [stuck = "", gone = ""] = await oldKeys(...names);
    await plane.rules.add({ route: `DELETE /api_keys/${stuck}`, status: 500, count: null });
    const { code, stdout } = await sweepBy(state, "--yes");
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^still live ${stuck} .*DELETE .*500`, "m"));
    expect(await revoked()).toEqual([gone]);
  });

  test("sweep revokes no other key once it cannot plan again, and asks only once more", async () => {
    const { names, state } = interrupted(3);
    const [third = "", second = "", first = ""] = await oldKeys(...names);
    await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400, count: null });
    const { code, stdout } = await sweepBy(state, "--yes", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ revoked: [{ id: first }], failed: [{ id: second }, { id: third }] });
    expect(await revoked()).toEqual([first]);
    expect(await plane.count("GET", "/api_keys")).toBe(4);
  });

  test("sweep reports revoked keys even if the list that should confirm it is not available", async () => {
    const { names, state } = interrupted(2);
    const [stuck = "", gone = ""] = await oldKeys(...names);
    await plane.rules.add({ route: `DELETE /api_keys/${stuck}`, status: 400, count: null });
    await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400, count: null });
    const { code, stdout, stderr } = await sweepBy(state, "--yes", "--json");
    expect([code, stderr]).toEqual([1, expect.stringContaining("could not be verified with a list")]);
    expect(JSON.parse(stdout)).toMatchObject({ revoked: [{ id: gone }], failed: [{ id: stuck }] });
  });
});

test("sweep refuses a state that hides ids of keys, because it does not show which keys are in use", async () => {
  const { names, state } = interrupted(1);
  const [id] = await oldKeys(...names);
  const { code, stderr } = await sweepBy({ ...state, rotating: { keyId: sealed } }, "--yes");
  expect([code, stderr]).toEqual([2, expect.stringMatching(/encrypted.*--show-secrets/s)]);
  expect((await plane.liveKeys()).map((key) => String(key.id))).toContain(id);
});

test("sweep without a stack and without a prefix is wrong usage", async () => {
  expect(await sweep([])).toMatchObject({ code: 2, stderr: expect.stringContaining("--state FILE") });
  expect(await plane.count()).toBe(0);
});

test("sweep sends one list if there is no orphan", async () => {
  await oldKeys("by-hand");
  expect((await sweepBy({}, "--yes")).stdout).toBe("0 to revoke, 0 to keep\n");
  expect((await plane.log()).map(({ method, route }) => `${method} ${route}`)).toEqual(["GET /api_keys"]);
});
