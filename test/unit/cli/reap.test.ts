import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deadlineIn, nameOf, newSuffix } from "../../../provider/keys/naming";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { DELETE, LIST } from "../../routes";
import { HOUR } from "../../times";
import { strangeName } from "./stack-file";
import { type Ended, envOf, run, start } from "./support";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "driven" } });
});

afterEach(() => plane.close());

/** A key with a deadline, in milliseconds from now. */
async function leasedKey(ms: number): Promise<{ readonly id: string; readonly key: string; readonly name: string }> {
  const { timeline } = await plane.clock.read();
  const name = nameOf("ci", newSuffix("urn"), 1, timeline + ms);
  const { id, key } = await plane.state.createKey(name);
  return { id: String(id), key, name };
}

function reap(args: readonly string[] = [], env = envOf(plane)): Promise<Ended> {
  return run(["reap", ...args], { env });
}

async function liveIds(): Promise<string[]> {
  return (await plane.liveKeys()).map(({ id }) => String(id)).sort();
}

/** The requests of the last command, as `GET /api_keys`. */
async function requests(): Promise<string[]> {
  return (await plane.log()).map(({ method, route }) => `${method} ${route}`);
}

describe("reap", () => {
  test("shows its plan and revokes nothing without --yes", async () => {
    const past = await leasedKey(HOUR);
    const later = await leasedKey(3 * HOUR);
    await plane.clock.advance(2 * HOUR);
    const { code, stdout } = await reap();
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${past.id} .*60 min ago +revoke$`, "m"));
    const next = new Date(deadlineIn(later.name) ?? 0).toISOString();
    expect(stdout).toContain(`1 key past the deadline, 1 with a later one, the next one at ${next}`);
    expect(await liveIds()).toEqual([past.id, later.id].sort());
  });

  test("revokes the keys past their deadline, used or not, and no other key", async () => {
    const unused = await leasedKey(HOUR);
    const used = await leasedKey(HOUR);
    const others = [
      await leasedKey(3 * HOUR),
      ...(await Promise.all(
        [
          "deploy-bot",
          strangeName(),
          unused.name.replace(/^ci/, "cd"),
          unused.name.slice(0, -1),
          `${unused.name}-1`,
          `${unused.name}-2`,
          "deploy-exp20200101t0000zabcd-abcdefgh-ijklmnop",
          used.name.toUpperCase(),
        ].map(async (name) => ({ id: String((await plane.state.createKey(name)).id) })),
      )),
    ];
    await plane.clock.advance(2 * HOUR);
    await fetch(`${plane.url}/projects`, { headers: { Authorization: `Bearer ${used.key}` } });
    const { code, stdout } = await reap(["--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("2 revoked");
    expect(await liveIds()).toEqual(others.map(({ id }) => id).sort());
  });

  test("goes by the service's clock, and names both times if this machine's clock shows another one", async () => {
    const { id } = await leasedKey(400 * 24 * HOUR);
    await plane.clock.advance(401 * 24 * HOUR);
    const { code, stdout, stderr } = await reap(["--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`revoked ${id}`);
    expect(stderr).toMatch(/this machine's clock shows 20\S+, but the service's shows 20\S+\. Deadlines are times of/);
  });

  test("revokes nothing if the service does not say what time it is", async () => {
    const { id } = await leasedKey(HOUR);
    await plane.clock.advance(2 * HOUR);
    await plane.rules.add({ route: LIST, headers: { Date: "" }, count: null });
    const { code, stdout } = await reap(["--yes"]);
    expect(code).toBe(1);
    expect(stdout).toContain("does not say what time it is");
    expect(await liveIds()).toEqual([id]);
  });

  test("keeps the key that it authenticates with, and ends with exit code 1", async () => {
    const own = await leasedKey(HOUR);
    await plane.clock.advance(2 * HOUR);
    const { code, stdout } = await reap(["--yes", "--json"], envOf({ url: plane.url, apiKey: own.key }));
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      planned: [],
      kept: [{ id: own.id, reason: "credential" }],
      revoked: [],
    });
    expect(await liveIds()).toEqual([own.id]);
  });

  test("sends one list if no deadline has passed", async () => {
    await leasedKey(HOUR);
    expect((await reap(["--yes", "--json"])).code).toBe(0);
    expect(await requests()).toEqual([LIST]);
    expect((await reap()).stdout).toContain("0 keys past the deadline, 1 with a later one");
  });

  test("reports a key that it could not revoke, and revokes the others", async () => {
    const [one, two] = [await leasedKey(HOUR), await leasedKey(HOUR)];
    await plane.clock.advance(2 * HOUR);
    await plane.rules.add({ route: DELETE, status: 403, count: 1 });
    const { code, stdout } = await reap(["--yes", "--json"]);
    expect(code).toBe(1);
    const { planned, revoked, failed } = JSON.parse(stdout);
    expect(planned).toHaveLength(2);
    expect([...revoked, ...failed].map(({ id }) => id).sort()).toEqual([one.id, two.id].sort());
    expect(await liveIds()).toEqual(failed.map(({ id }: { id: string }) => id));
  });

  test.each([
    { route: LIST, hold: "after" },
    { route: DELETE, hold: "before" },
    { route: DELETE, hold: "after" },
  ] as const)("finishes what a run left that was killed at $route, $hold the service acted", async (rule) => {
    const keys = [await leasedKey(HOUR), await leasedKey(HOUR), await leasedKey(3 * HOUR)];
    await plane.clock.advance(2 * HOUR);
    await plane.rules.add(rule);
    const { child, done } = start(["reap", "--yes"], { env: envOf(plane) });
    await plane.held.wait();
    child.kill("SIGKILL");
    await done;
    await plane.held.drop();
    expect((await reap(["--yes"])).code).toBe(0);
    expect(await liveIds()).toEqual([keys[2]?.id]);
  });

  test("reaps the keys of an organization with --organization, and leaves the account's own keys alone", async () => {
    const own = await leasedKey(HOUR);
    const name = nameOf("ci", newSuffix("urn"), 1, (await plane.clock.read()).timeline + HOUR);
    await fetch(`${plane.url}/organizations/org-local-1/api_keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${plane.apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ key_name: name }),
    });
    await plane.clock.advance(2 * HOUR);
    const { code, stdout } = await reap(["--organization", "org-local-1", "--yes", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).revoked).toEqual([expect.objectContaining({ name })]);
    expect(await liveIds()).toEqual([own.id]);
  });
});
