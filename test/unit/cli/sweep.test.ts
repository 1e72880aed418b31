import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownerTag } from "../../../provider/keys/names";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { generatedName } from "../../generated-name";
import { exported, exportedOfPlugin, identityOfPlugin, type StackFile, sealed } from "./stack-file";
import { type Ended, envOf, folderWith, run } from "./support";

const MINUTE = 60_000;
const owner = "5b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a11";
const other = "0f0c8f54-0000-4a5e-9a44-1f6a0c6b7a22";

/** A time after all keys of a test were created, which a machine's clock can still show. */
const soon = () => new Date(Date.now() + MINUTE).toISOString();

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(() => plane.close());

/** A key of an owner, created an hour ago. */
async function oldKey(by = owner): Promise<string> {
  const { id } = await plane.state.createKey(generatedName("ci", by));
  return String(id);
}

/** Creates keys, and then lets an hour pass. */
async function oldKeys(...owners: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const each of owners) ids.push(await oldKey(each));
  await plane.clock.advance(60 * MINUTE);
  return ids;
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

test("sweep shows its plan and revokes nothing without --yes", async () => {
  const [id = ""] = await oldKeys(owner);
  const { code, stdout, stderr } = await sweep(["--owner", owner]);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^${id} .*revoke$`, "m"));
  expect(stderr).toContain("Nothing was revoked. To revoke these keys, run the same command with --yes.");
  expect(stderr).toContain("Do not sweep while an `up` of the stack is running");
  expect(await revoked()).toEqual([]);
});

test.each([other, ownerTag(other)])(
  "sweep --owner %s finds and revokes exactly the keys of that owner",
  async (text) => {
    const [mine = "", , also = ""] = await oldKeys(other, owner, other);
    await plane.state.createKey("by-hand");
    const { code, stdout } = await sweep(["--owner", text, "--yes", "--json"]);
    expect(code).toBe(0);
    const { revoked: told } = JSON.parse(stdout) as { revoked: { id: string }[] };
    expect(told.map(({ id }) => id).sort()).toEqual([mine, also].sort());
    expect((await revoked()).sort()).toEqual([mine, also].sort());
  },
);

test("sweep leaves a key alone that any given state holds in any way", async () => {
  const ids = await oldKeys(...Array.from({ length: 10 }, () => owner));
  const [key, current, previous, pending, retired, owned, delivered, unrevoked, elsewhere, orphan = ""] = ids;
  const rotating = {
    keyId: current,
    previousKeyId: previous,
    pendingRevocations: [pending],
    retired: [retired],
    key: sealed,
  };
  const ledger = { owned: [owned], delivered: [delivered], unrevoked: [unrevoked], orphans: [orphan] };
  const folder = await folderWith({ "prod.json": exported({ stack: "prod", owner: other, keys: [elsewhere ?? ""] }) });
  const file = { owner, keys: [key ?? ""], rotating, ledger, savedAt: soon() };
  const args = ["--state", "-", join(folder, "prod.json"), "--yes"];
  expect((await sweep(args, JSON.stringify(exported(file)))).code).toBe(0);
  expect(await revoked()).toEqual([orphan]);
});

test("sweep says that there is no key of several owners in the plural, as of one in the singular", async () => {
  const [one, both] = [await sweep(["--owner", owner]), await sweep(["--owner", owner, other])];
  const [tag, otherTag] = [ownerTag(owner), ownerTag(other)];
  expect(one.stdout).toBe(`owner tag ${tag}: no live key has this tag. Check that the tag is correct\n`);
  expect(both.stdout).toBe(
    `owner tags ${tag}, ${otherTag}: no live key has one of these tags. Check that the tags are correct\n`,
  );
});

test("sweep asks for the whole id if a tag can be a word, because somebody's key can be named so", async () => {
  expect(ownerTag(owner)).toMatch(/^[a-z]{8}$/);
  for (const word of [ownerTag(owner), "frontend"]) {
    const { code, stderr } = await sweep(["--owner", word, "--yes"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("must be the id of an owner (a UUID)")]);
  }
  expect(await plane.count()).toBe(0);
});

test("sweep keeps a key that is newer than the newest state of its owner, also with --include-young", async () => {
  // The clock of the service is an hour ahead when the sweep compares them.
  const savedAt = new Date(Date.now() - 61 * MINUTE).toISOString();
  const [newer = ""] = await oldKeys(owner);
  const older = { owner, savedAt: new Date(Date.now() - 120 * MINUTE).toISOString() };
  const { stdout } = await sweepBy({ owner, savedAt }, "--yes", "--include-young", "--include-used");
  expect(stdout).toContain("keep: created after the state was saved (pass a newer one, or run `pulumi up`)");
  expect(await revoked()).toEqual([]);
  // Only the newest state counts, and it must be one of this owner.
  const folder = await folderWith({
    "older.json": exported(older),
    "other.json": exported({ owner: other, stack: "prod" }),
  });
  const files = [join(folder, "older.json"), join(folder, "other.json")];
  await sweep(["--state", ...files, "--yes"]);
  expect(await revoked()).toEqual([]);
  await sweep(["--state", "-", ...files, "--yes"], JSON.stringify(exported({ owner })));
  expect(await revoked()).toEqual([newer]);
});

test("sweep keeps a key that was made after the state was saved, also if this machine's clock is behind", async () => {
  const savedAt = new Date(Date.now() - MINUTE).toISOString();
  await plane.clock.advance(30 * MINUTE);
  await oldKeys(owner);
  const { stdout } = await sweepBy({ owner, savedAt }, "--yes", "--include-young");
  expect(stdout).toContain("keep: created after the state was saved");
  expect(await revoked()).toEqual([]);
});

test("sweep revokes nothing if the service does not say what time it is", async () => {
  await oldKeys(owner);
  await plane.rules.add({ route: "GET /api_keys", headers: { Date: "" }, count: null });
  const { stdout } = await sweepBy({ owner, savedAt: soon() }, "--yes", "--include-young");
  expect(stdout).toContain("keep: the service's answer does not say what time it is");
  expect(await revoked()).toEqual([]);
});

test("sweep keeps all keys of an owner if a current key of its state is missing, because another history has gone on", async () => {
  const [replaced = "", elsewhere = "", others = "", held = ""] = await oldKeys(owner, owner, other, other);
  await plane.state.revokeKey(replaced);
  const folder = await folderWith({
    "a.json": exported({ owner, rotating: { keyId: replaced, owner }, savedAt: soon() }),
    "b.json": exported({ owner: other, stack: "b", rotating: { keyId: held, owner: other }, savedAt: soon() }),
  });
  const { code, stdout } = await sweep(["--state", join(folder, "a.json"), join(folder, "b.json"), "--yes"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${elsewhere} .*keep: the account lacks a current key of a given state`, "m")),
  ]);
  expect(await revoked()).toEqual([others]);
});

test("sweep refuses a state that does not say when it was saved, or says a time to come", async () => {
  for (const savedAt of ["", new Date(Date.now() + 60 * MINUTE).toISOString()]) {
    const { code, stderr } = await sweepBy({ owner, savedAt }, "--yes");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("does not say when it was saved, or names a time in the future"),
    ]);
  }
});

test("sweep revokes a used key only with --include-used, and never one that is in use", async () => {
  const [used = "", inUse = "", unused = ""] = await oldKeys(owner, owner, owner);
  await plane.state.useKey(used, 30 * MINUTE);
  await plane.state.useKey(inUse, 1 * MINUTE);
  expect((await sweep(["--owner", owner, "--yes"])).stdout).toContain("keep: was used (see --include-used)");
  expect(await revoked()).toEqual([unused]);
  expect((await sweep(["--owner", owner, "--yes", "--include-used"])).stdout).toContain(
    "keep: used in the last 5 minutes",
  );
  expect(await revoked()).toEqual([unused, used]);
});

test("sweep revokes a key of the last minutes only with --include-young, because a run may be about to save it", async () => {
  const young = await oldKey();
  expect((await sweep(["--owner", owner, "--yes"])).stdout).toContain("younger than 15 min");
  expect(await revoked()).toEqual([]);
  await sweep(["--owner", owner, "--yes", "--include-young"]);
  expect(await revoked()).toEqual([young]);
});

test("sweep never revokes the key with which it authenticates", async () => {
  const own = await plane.state.createKey(generatedName("ci", owner));
  await plane.clock.advance(60 * MINUTE);
  const args = ["sweep", "--owner", owner, "--yes", "--include-used", "--include-young"];
  const { code, stdout } = await run(args, { env: { ...envOf(plane), KEYPLANE_API_KEY: own.key } });
  expect([code, stdout]).toEqual([0, expect.stringContaining("keep: in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS")]);
  expect(await revoked()).toEqual([]);
});

test("sweep never revokes the key with which another configured account authenticates", async () => {
  const [plain = ""] = await oldKeys(owner);
  const signs = await plane.state.createKey(generatedName("ci", owner));
  await plane.clock.advance(60 * MINUTE);
  const accounts = { second: { apiKey: signs.key }, broken: { apiKey: "kp_revoked_0123456789" } };
  const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify(accounts) };
  const { code } = await run(["sweep", "--owner", owner, "--yes"], { env });
  expect([code, await revoked()]).toEqual([0, [plain]]);
  const sweepAs = ["sweep", "--owner", owner, "--yes", "--include-used", "--account", "second"];
  expect((await run(sweepAs, { env })).stdout).toContain("keep: in KEYPLANE_API_KEY or KEYPLANE_ACCOUNTS");
  expect(await revoked()).toEqual([plain]);
});

test("sweep --organization covers the organization's keys and leaves the account's own keys alone", async () => {
  const own = await oldKey();
  const path = "/organizations/org-local-1/api_keys";
  const answer = await fetch(plane.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${plane.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ key_name: generatedName("ci", owner) }),
  });
  const { id } = (await answer.json()) as { id: number };
  await plane.clock.advance(60 * MINUTE);
  expect((await sweep(["--owner", owner, "--organization", "org-local-1", "--yes"])).code).toBe(0);
  expect(await revoked()).toEqual([String(id)]);
  expect((await plane.liveKeys()).map((key) => String(key.id))).toContain(own);
});

test("sweep spares the key with which it authenticates even if the service does not say which one it is", async () => {
  const own = await plane.state.createKey(generatedName("ci", owner));
  await plane.clock.advance(60 * MINUTE);
  await plane.rules.add({ route: "GET /auth", status: 404 });
  const args = ["sweep", "--owner", owner, "--yes", "--include-used", "--include-young"];
  const { code } = await run(args, { env: { ...envOf(plane), KEYPLANE_API_KEY: own.key } });
  expect(code).toBe(0);
  expect(await revoked()).toEqual([]);
});

test("sweep spares a key that somebody starts to use between the plan and the revocation", async () => {
  const [first = "", second = ""] = await oldKeys(owner, owner);
  await plane.rules.add({ route: "GET /api_keys", skip: 1, hold: "before" });
  const running = sweep(["--owner", owner, "--yes"]);
  await plane.held.wait();
  await plane.state.useKey(first);
  await plane.held.release();
  const { code, stdout } = await running;
  expect([code, stdout]).toEqual([0, expect.stringMatching(new RegExp(`^skipped ${first} .*: used in the last`, "m"))]);
  expect(await revoked()).toEqual([second]);
});

test("sweep decides about each key when its turn comes, and not before it revokes the first one", async () => {
  const [last = "", , first = ""] = await oldKeys(owner, owner, owner);
  await plane.rules.add({ route: "DELETE /api_keys/{key_id}", hold: "before" });
  const running = sweep(["--owner", owner, "--yes", "--json"]);
  await plane.held.wait();
  await plane.state.useKey(last);
  await plane.held.release();
  const { code, stdout } = await running;
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { revoked: [{ id: first }, {}], skipped: [{ id: last }] }]);
  expect(await revoked()).not.toContain(last);
});

test("sweep keeps a key that the stack may have made after the state from which the given one was copied", async () => {
  const savedAt = new Date(Date.now() - 120 * MINUTE).toISOString();
  await oldKeys(owner);
  const { stdout } = await sweepBy({ owner, savedAt, stack: "copy", ownerStack: "dev" }, "--owner", owner, "--yes");
  expect(stdout).toContain("keep: created after the state was saved");
  expect(await revoked()).toEqual([]);
});

test("sweep does not report a key as revoked that is still in the list, or that may be live", async () => {
  const [lied = "", lost = ""] = await oldKeys(owner, owner);
  const body = { id: Number(lied), revoked: true };
  await plane.rules.add({ route: `DELETE /api_keys/${lied}`, status: 200, body, count: null });
  await plane.rules.add({ route: `DELETE /api_keys/${lost}`, fault: "reset", commit: "before", count: null });
  // The list after the lost answer.
  await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400 });
  const { code, stdout } = await sweep(["--owner", owner, "--yes"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`^may be live ${lost} .*was sent, but not answered`, "m"));
  expect(stdout).toMatch(new RegExp(`^still live ${lied} .*: is still in the list$`, "m"));
  expect(stdout).toContain("0 revoked, 2 still live or unknown: run it again");
});

test("sweep reports keys that cannot be revoked with the reason and exit code 1", async () => {
  const [stuck = "", gone = ""] = await oldKeys(owner, owner);
  await plane.rules.add({ route: `DELETE /api_keys/${stuck}`, status: 500, count: null });
  const { code, stdout } = await sweep(["--owner", owner, "--yes"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`^still live ${stuck} .*DELETE .*500`, "m"));
  expect(await revoked()).toEqual([gone]);
});

test("sweep revokes no other key once it cannot plan again, and asks only once more", async () => {
  const [third = "", second = "", first = ""] = await oldKeys(owner, owner, owner);
  await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400, count: null });
  const { code, stdout } = await sweep(["--owner", owner, "--yes", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ revoked: [{ id: first }], failed: [{ id: second }, { id: third }] });
  expect(await revoked()).toEqual([first]);
  expect(await plane.count("GET", "/api_keys")).toBe(4);
});

test("sweep reports revoked keys even if the list that should confirm it is not available", async () => {
  const [stuck = "", gone = ""] = await oldKeys(owner, owner);
  await plane.rules.add({ route: `DELETE /api_keys/${stuck}`, status: 400, count: null });
  await plane.rules.add({ route: "GET /api_keys", skip: 2, status: 400, count: null });
  const { code, stdout, stderr } = await sweep(["--owner", owner, "--yes", "--json"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("could not be verified with a list")]);
  expect(JSON.parse(stdout)).toMatchObject({ revoked: [{ id: gone }], failed: [{ id: stuck }] });
});

test.each<[string, StackFile, RegExp]>([
  ["of a stack without keys", {}, /contains no owner of keys/],
  ["that was copied", { owner, ownerStack: "prod" }, /was copied or renamed.*--owner\s+5b4f6f54-/s],
  ["that hides ids of keys", { owner, rotating: { keyId: sealed } }, /encrypted.*--show-secrets/s],
])("sweep refuses a state %s, because it does not show the owner of the keys", async (_, file, problem) => {
  const [id] = await oldKeys(owner);
  const { code, stderr } = await sweepBy(file, "--yes");
  expect([code, stderr]).toEqual([2, expect.stringMatching(problem)]);
  expect((await plane.liveKeys()).map((key) => String(key.id))).toContain(id);
});

test("sweep warns about a state that was saved during a run", async () => {
  await oldKeys(owner);
  const { stderr } = await sweepBy({ owner, pending: 1, savedAt: soon() });
  expect(stderr).toContain("was saved during a run, or after a run was killed: run `pulumi up` first");
});

test("sweep refuses a missing owner, or one that is neither an id nor a tag, as wrong usage", async () => {
  expect(await sweep(["--owner", "ci"])).toMatchObject({ code: 2, stderr: expect.stringContaining("a UUID") });
  expect(await sweep([])).toMatchObject({ code: 2, stderr: expect.stringContaining("--state FILE") });
});

test("sweep revokes what the state of a plugin's stack does not hold, under each of its owners", async () => {
  const former = "1b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a33";
  const held = await plane.state.createKey(generatedName("ci", identityOfPlugin(former)));
  const left = await plane.state.createKey(generatedName("ci", identityOfPlugin(owner)));
  const formerLeft = await plane.state.createKey(generatedName("gone", identityOfPlugin(former)));
  const strange = await plane.state.createKey(generatedName("ci", identityOfPlugin(other)));
  await plane.clock.advance(60 * MINUTE);
  // A predecessor is a key that a resource did not dare to revoke.
  const predecessors = [String(left.id)];
  const state = exportedOfPlugin({ owner, ownerOfKey: former, key: held, predecessors, savedAt: soon() });
  const { code } = await sweep(["--state", "-", "--yes"], JSON.stringify(state));
  expect(code).toBe(0);
  expect((await revoked()).sort()).toEqual([left.id, formerLeft.id].map(String).sort());
  expect(await plane.liveKeys()).toEqual(
    expect.arrayContaining([held, strange].map(({ id }) => expect.objectContaining({ id }))),
  );
});

test("sweep refuses the state of a plugin's stack that was copied or renamed", async () => {
  const state = exportedOfPlugin({ owner, ownerStack: "original", key: { id: 100_001 } });
  const { code, stderr } = await sweep(["--state", "-"], JSON.stringify(state));
  expect(code).toBe(2);
  expect(stderr).toMatch(/was copied or renamed/);
});

test("sweep refuses another address than the one of the account, because it would revoke keys elsewhere", async () => {
  const [id] = await oldKeys(owner);
  const accounts = { prod: { baseUrl: plane.url, apiKey: plane.apiKey } };
  const args = ["sweep", "--account", "prod", "--base-url", "http://127.0.0.1:9/api/v2", "--owner", owner, "--yes"];
  const ended = await run(args, { env: { KEYPLANE_ACCOUNTS: JSON.stringify(accounts) } });
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  expect(ended.stderr).toContain("--base-url: account prod has its own address in KEYPLANE_ACCOUNTS");
  expect((await plane.liveKeys()).map((key) => String(key.id))).toContain(id);
});
