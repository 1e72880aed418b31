import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { paint, print, printInfo, printJson, printTable } from "../../../cli/output";
import { conceal } from "../../../provider/secrets";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { LIST } from "../../routes";
import { keyOf } from "./key-of";
import { exported } from "./stack-file";
import { envOf, folderWith, run } from "./support";

/** What must never reach a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
const HOSTILE = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\u200b\u0085\u2028";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await plane.close();
});

/** Makes the service list these keys and the calling key. */
async function listOf(...keys: object[]): Promise<void> {
  const created_at = "2026-01-01T00:00:00Z";
  const own = { id: 1, name: "admin", created_at, last_used_at: created_at, last_used_from_addr: "127.0.0.1" };
  const body = [own, ...keys.map((key) => ({ created_at, last_used_at: null, last_used_from_addr: "", ...key }))];
  await plane.rules.add({ route: LIST, status: 200, body, count: null });
}

/** Collects the output of the action. */
function printed(action: () => void): string {
  let text = "";
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((data) => {
      text += data;
      return true;
    });
  }
  action();
  vi.restoreAllMocks();
  return text;
}

test("every printed line is harmless, has a limited length and contains no secret", () => {
  conceal("kp_of_the_environment");
  const text = `${HOSTILE} kp_of_the_environment ${"x".repeat(1_000_000)}`;
  for (const action of [() => print(text), () => printInfo(text), () => print(paint("good", text), text)]) {
    const lines = printed(action).replace(COLOUR, "").split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).not.toMatch(UNPRINTABLE);
    expect(lines[0]).toContain("[secret]");
    expect(lines[0]).not.toContain("kp_of_the_environment");
    expect(lines[0]?.length).toBeLessThan(10_000);
  }
});

test("the cells of a table are harmless and have a limited length", () => {
  const columns = [{ title: "NAME", text: (name: string) => name }];
  const rows = [HOSTILE + "x".repeat(10_000_000), "b"];
  const [, cell = "", ...more] = printed(() => printTable(rows, columns)).split("\n");
  expect(cell.replace(COLOUR, "")).not.toMatch(UNPRINTABLE);
  expect(cell.length).toBeLessThanOrEqual(300);
  expect(more).toEqual(["b", "", ""]);
});

test("printed JSON contains the given values, but no terminal control characters and no secret", () => {
  conceal("kp_of_the_environment");
  const text = printed(() => printJson({ name: HOSTILE, echo: "kp_of_the_environment" }));
  expect(JSON.parse(text)).toEqual({ name: HOSTILE, echo: "[secret]" });
  expect(text.replaceAll("\n", "")).not.toMatch(UNPRINTABLE);
});

test("names, addresses and creators from the service reach the terminal without control sequences", async () => {
  await listOf({ id: 2, name: HOSTILE, last_used_from_addr: HOSTILE, created_by: { name: HOSTILE } });
  for (const json of [[], ["--json"]]) {
    const { code, stdout, stderr } = await run(["keys", ...json], { env: envOf(plane) });
    expect([code, stdout]).toEqual([0, expect.stringContaining("evil")]);
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(UNPRINTABLE);
  }
});

test("a credential that the service repeats in a name is not printed", async () => {
  await listOf({ id: 2, name: plane.apiKey, created_by: plane.apiKey });
  for (const json of [[], ["--json"]]) {
    const { stdout, stderr } = await run(["keys", ...json], { env: envOf(plane) });
    expect(stdout + stderr).not.toContain(plane.apiKey);
  }
});

test("a credential of the environment is not printed, even if no account is asked", async () => {
  const env = { KEYPLANE_API_KEY: "of-the-environment", KEYPLANE_PULUMI: "/nowhere/pulumi" };
  const { stdout, stderr } = await run(["identify", "--stack", "of-the-environment"], { env, input: keyOf(1) });
  expect(stdout + stderr).toContain("[secret]");
  expect(stdout + stderr).not.toContain("of-the-environment");
});

test("a name of 10 MB is cut when it is read", async () => {
  await listOf({ id: 2, name: "x ".repeat(5_000_000) });
  const { code, stdout } = await run(["keys", "--json"], { env: envOf(plane) });
  expect(code).toBe(0);
  expect(stdout.length).toBeLessThan(50_000);
});

test("URNs and stacks from a state file reach the terminal without control sequences", async () => {
  const { id } = await plane.state.createKey("ci");
  const state = exported({ stack: HOSTILE, keys: [id], rotating: { keyId: { ...hidden } } });
  const folder = await folderWith({ "state.json": JSON.stringify(state) });
  for (const args of [["keys"], ["keys", "--json"], ["sweep"]]) {
    const where = { env: envOf(plane), cwd: folder };
    const { stdout, stderr } = await run([...args, "--state", join(folder, "state.json")], where);
    expect(stdout + stderr).toContain("evil");
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(UNPRINTABLE);
  }
});

const hidden = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };

test("the name of an account that can be a secret is in no output, whatever goes wrong", async () => {
  const name = "napi5x8q2m9w7r4t1k6z3v0b";
  const accounts = (account: object) => ({
    KEYPLANE_ACCOUNTS: JSON.stringify({ [name]: { apiKey: plane.apiKey, ...account } }),
  });
  const unreachable = accounts({ baseUrl: "http://127.0.0.1:9/api/v2" });
  const runs = await Promise.all([
    run(["keys", "--account", "other"], { env: unreachable }),
    run(["keys", "--account", name], { env: unreachable }),
    run(["keys", "--account", name], { env: accounts({}) }),
    run(["doctor"], { env: { ...envOf(plane), ...unreachable } }),
    run(["revoke", "7", "--yes"], { env: { ...envOf(plane), ...unreachable } }),
  ]);
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(name);
  expect(runs[1]?.stderr).toMatch(/keyplane:accounts\.\[account [a-z2-7]{8}\]\.baseUrl/);
});
