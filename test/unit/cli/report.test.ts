import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../../cli/report/data";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { exported, sealed, strangeName } from "./stack-file";
import { envOf, folderWith, run } from "./support";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane();
});

afterEach(() => plane.close());

/** Runs `report --json`. Returns what it prints. */
async function reportOf(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Report> {
  const { code, stdout, stderr } = await run(["report", "--json", ...args], { env: { ...envOf(plane), ...env } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
}

const stacksOf = ({ stacks }: Report) => stacks.map(({ stack }) => stack);

test("report reads the states of a file backend from its folder, compressed ones too, but not the copies beside them", async () => {
  const name = strangeName();
  const { id } = await plane.state.createKey(name);
  const checkpoint = (stack: string, rotating = {}) => {
    return JSON.stringify({
      version: 3,
      checkpoint: { stack, latest: exported({ stack, rotating }).deployment },
    });
  };
  const folder = await folderWith({
    ".pulumi/stacks/shop/dev.json": checkpoint("dev", { keyId: String(id), name }),
    ".pulumi/stacks/shop/dev.json.bak": "{",
    ".pulumi/stacks/shop/prod.json.gz": "",
    ".pulumi/history/shop/dev/dev-1.history.json": "{}",
    "Pulumi.json": "{}",
  });
  await writeFile(join(folder, ".pulumi/stacks/shop/prod.json.gz"), gzipSync(checkpoint("prod")));
  const all = await reportOf(["--state", folder]);
  expect(await plane.count("GET")).toBe(2);
  expect(stacksOf(all)).toEqual(["proj/dev", "proj/prod"]);
  expect(all.keys.find((key) => key.id === String(id))).toMatchObject({ stack: "proj/dev", status: "live" });
  expect(stacksOf(await reportOf(["--state", join(folder, ".pulumi")]))).toEqual(["proj/dev", "proj/prod"]);
});

test("report reads links in a folder, as in a mounted volume, once each, and the states of a project named stacks", async () => {
  const folder = await folderWith({
    "volume/..1/dev.json": exported({ stack: "dev" }),
    ".pulumi/stacks/shop/one.json": exported({ stack: "one" }),
    ".pulumi/stacks/stacks/two.json": exported({ stack: "two" }),
  });
  for (const [target, path] of [
    ["..1", "volume/..data"],
    ["..data/dev.json", "volume/dev.json"],
  ] as const) {
    await symlink(target, join(folder, path));
  }
  expect(stacksOf(await reportOf(["--state", join(folder, "volume")]))).toEqual(["proj/dev"]);
  for (const path of [folder, join(folder, ".pulumi"), join(folder, ".pulumi/stacks")]) {
    expect(stacksOf(await reportOf(["--state", path]))).toEqual(["proj/one", "proj/two"]);
  }
});

test("report exports stacks through the Pulumi CLI, without their secrets", async () => {
  const state = exported({ stack: "prod" });
  const script = `require("node:fs").writeFileSync(__dirname + "/args", process.argv.slice(2).join(" "));
process.stdout.write(${JSON.stringify(JSON.stringify(state))});`;
  const folder = await folderWith({ "pulumi.js": script, "broken.js": "console.error('kp_secret'); process.exit(3);" });
  const all = await reportOf(["--stack", "acme/proj/prod"], { KEYPLANE_PULUMI: join(folder, "pulumi.js") });
  expect(stacksOf(all)).toEqual(["proj/prod"]);
  const { readFile } = await import("node:fs/promises");
  expect(await readFile(join(folder, "args"), "utf8")).toBe("stack export --stack acme/proj/prod --non-interactive");
  const env = { ...envOf(plane), KEYPLANE_PULUMI: join(folder, "broken.js") };
  for (const stack of ["prod", "--show-secrets"]) {
    const { code, stderr } = await run(["report", "--json", `--stack=${stack}`], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--stack")]);
    expect(stderr).not.toContain("kp_secret");
  }
});

test("report lists all configured accounts, and the organizations that hold keys of the states", async () => {
  const organizationId = "org-local-1";
  const env = { KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey: plane.apiKey } }) };
  const state = exported({ rotating: { keyId: "5", name: "x", organizationId } });
  const folder = await folderWith({ "dev.json": state });
  const all = await reportOf(["--state", join(folder, "dev.json")], env);
  expect(all.accounts.map(({ label }) => label)).toEqual(["(default)", "eu", `(default), ${organizationId}`]);
  expect(all.keys[0]?.accounts).toEqual(["(default)", "eu"]);
  const own = await reportOf(["--account", "eu", "--organization", organizationId], env);
  expect(own.accounts.map(({ label }) => label)).toEqual(["eu", `eu, ${organizationId}`]);
});

test("report lists an organization in which a run was interrupted, also if no state has a key there", async () => {
  const state = exported({ creating: ["abcdefghijk2"], scope: { organizationId: "org-local-1" } });
  const folder = await folderWith({ "dev.json": state });
  const { accounts } = await reportOf(["--state", join(folder, "dev.json")]);
  expect(accounts.map(({ label }) => label)).toEqual(["(default)", "(default), org-local-1"]);
});

test("a report without one of its accounts is incomplete, and fails", async () => {
  const env = { ...envOf(plane), KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey: "kp_revoked_long_ago" } }) };
  const { code, stdout, stderr } = await run(["report", "--json"], { env });
  expect([code, stderr]).toEqual([1, expect.stringContaining("account eu could not be read")]);
  const { accounts, keys } = JSON.parse(stdout) as Report;
  expect(accounts).toMatchObject([{ keys: 1 }, { label: "eu", problem: expect.stringContaining("401") }]);
  expect(keys).toHaveLength(1);
  expect(stdout + stderr).not.toContain("kp_revoked");
});

test.each<[string, string[]]>([
  ["no output", []],
  ["a folder without states", ["--json", "--state", "FOLDER"]],
  ["a state that is not compressed well", ["--json", "--state", "FOLDER/broken.gz"]],
  ["an account that is not configured", ["--json", "--account", "eu"]],
])("report with %s fails before any request", async (_, args) => {
  const folder = await folderWith({ "empty/x.txt": "", "broken.gz": "" });
  await writeFile(join(folder, "broken.gz"), Buffer.from([0x1f, 0x8b, 1, 2]));
  const given = args.map((arg) => arg.replace(/^FOLDER$/, join(folder, "empty")).replace("FOLDER", folder));
  const { code, stdout } = await run(["report", ...given], { env: envOf(plane) });
  expect(code).toBe(2);
  if (args.includes("--json")) expect(JSON.parse(stdout)).toHaveProperty("error");
  expect(await plane.count()).toBe(0);
});

test("a page is not written to standard output, and the error names what is", async () => {
  const { code, stderr } = await run(["report", "--out", "-"], { env: envOf(plane) });
  expect([code, stderr]).toEqual([2, expect.stringContaining("`--json` prints to standard output")]);
});

test("no secret of a state that was exported in plain text is in the output, even where a name should be", async () => {
  const plaintext = { ...sealed, ciphertext: undefined, plaintext: JSON.stringify("kp_plain_secret") };
  const { id } = await plane.state.createKey("kp_plain_secret");
  const state = exported({ rotating: { keyId: String(id), name: "x", key: plaintext } });
  const folder = await folderWith({ "dev.json": state });
  const all = await reportOf(["--state", join(folder, "dev.json")]);
  expect(all.keys.find((key) => key.id === String(id))?.name).toBe("[secret]");
});
