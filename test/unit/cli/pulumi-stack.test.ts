import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nameOf, newSuffix } from "../../../provider/keys/naming";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { HOUR } from "../../times";
import { exported, type StackFile, sealed, urnOf } from "./stack-file";
import { type Ended, envOf, folderWith, run } from "./support";

const SECRET = "sk_verysecret";

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(() => plane.close());

const answers = (state: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(state))});`;
const fails = (printed: string, code = 255) =>
  `console.log("${SECRET}"); console.error(${JSON.stringify(`error: ${printed}`)}); process.exitCode = ${code};`;

interface Asked extends Ended {
  /** The words of each question to the Pulumi CLI. */
  readonly words: readonly (readonly string[])[];
  /** The environment in which it was asked. */
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a command with a Pulumi CLI that runs this script, in a folder with these files. */
async function ask(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  files: Readonly<Record<string, string | object>> = {},
): Promise<Asked> {
  const recorded = `const { appendFileSync, writeFileSync } = require("node:fs"); const words = process.argv.slice(2);
appendFileSync(__dirname + "/words", JSON.stringify(words) + "\\n");
writeFileSync(__dirname + "/env", JSON.stringify(process.env));\n`;
  const folder = await folderWith({ ...files, "cli/pulumi.js": recorded + script });
  const cli = join(folder, "cli/pulumi.js");
  const ended = await run(args, { env: { ...envOf(plane), KEYPLANE_PULUMI: cli, PATH: "", ...env }, cwd: folder });
  const read = (name: string) => readFile(join(folder, "cli", name), "utf8").catch(() => "");
  const lines = (await read("words")).split("\n").filter((line) => line !== "");
  return { ...ended, words: lines.map((line) => JSON.parse(line)), env: JSON.parse((await read("env")) || "{}") };
}

const stack = (file: StackFile = {}) => answers(exported(file));

describe("--stack", () => {
  test("reads the states of several stacks with the Pulumi CLI, without secrets and without keyplane's credential", async () => {
    const [held, left] = [await plane.state.createKey("held"), await plane.state.createKey("left")];
    const env = { KEYPLANE_ACCOUNTS: "{}", PULUMI_ACCESS_TOKEN: "pul-token" };
    const args = ["keys", "--json", "--stack", "dev", "acme/shop/prod"];
    const asked = await ask(stack({ keys: [held.id] }), args, env);
    const { keys } = JSON.parse(asked.stdout) as { keys: { id: string; stack?: string; flags: string[] }[] };
    expect(keys.find(({ id }) => id === String(held.id))).toMatchObject({ stack: "proj/dev", flags: [] });
    expect(keys.find(({ id }) => id === String(left.id))).toMatchObject({ flags: ["unmanaged"] });
    expect(asked.words.toSorted()).toEqual([
      ["stack", "export", "--stack", "acme/shop/prod", "--non-interactive"],
      ["stack", "export", "--stack", "dev", "--non-interactive"],
    ]);
    expect(asked.env).toMatchObject({ PULUMI_ACCESS_TOKEN: "pul-token" });
    expect(Object.keys(asked.env).filter((name) => name.startsWith("KEYPLANE_"))).toEqual([]);
  });

  test("lets sweep revoke the orphan of the stack, and keep what it holds", async () => {
    const suffix = newSuffix(urnOf("ApiKey", "ci"));
    const held = await plane.state.createKey(nameOf("ci", newSuffix("urn"), 1));
    const left = await plane.state.createKey(nameOf("ci", suffix, 1));
    await plane.clock.advance(HOUR);
    const saved = stack({ keys: [held.id], creating: [suffix] });
    const { code, stdout, words } = await ask(saved, ["sweep", "--stack", "dev", "--yes"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`revoked ${left.id}`)]);
    // No rotation was interrupted, so nothing depends on the history.
    expect(words).toEqual([["stack", "export", "--stack", "dev", "--non-interactive"]]);
    const live = (await plane.liveKeys()).map(({ id }) => id);
    expect([live.includes(held.id), live.includes(left.id)]).toEqual([true, false]);
  });

  test.each<[string, object | undefined, "revoked" | "no history" | "updated since"]>([
    ["no update has ended since", { kind: "update", result: "failed", began: -3 * HOUR, ended: -2 * HOUR }, "revoked"],
    [
      "an update that failed may have handed it out",
      { result: "failed", began: -2 * HOUR, ended: HOUR / 60 },
      "updated since",
    ],
    ["the history does not reach back so far", { kind: "refresh", began: HOUR / 2, ended: HOUR }, "no history"],
    ["the history cannot be read", undefined, "no history"],
  ])("lets sweep decide about the next number of a rotation by the history: %s", async (_, entry, expected) => {
    const suffix = newSuffix(urnOf("RotatingApiKey", "app"));
    const current = await plane.state.createKey(nameOf("app", suffix, 1));
    const next = await plane.state.createKey(nameOf("app", suffix, 2));
    const made = Date.now();
    await plane.clock.advance(HOUR);
    const { began, ended, ...more } = { kind: "update", result: "succeeded", began: 0, ended: 0, ...entry };
    // The history has the machine's clock, which did not advance.
    const [startTime, endTime] = [began, ended].map((time) => new Date(made + time).toISOString());
    const history = entry ? JSON.stringify([{ ...more, startTime, endTime, environment: {} }]) : "nothing";
    const state = stack({ rotating: { keyId: String(current.id), __suffix: suffix } });
    const script = `if (words[1] === "export") { ${state} } else console.log(${JSON.stringify(history)});`;
    const { stdout, stderr, words } = await ask(script, ["sweep", "--stack", "dev", "--yes", "--json"]);
    const { revoked, kept } = JSON.parse(stdout);
    const what = revoked.map(({ id }: { id: string }) => [id, "revoked"]);
    what.push(...kept.map(({ id, reason }: { id: string; reason: string }) => [id, reason]));
    expect(what).toEqual([[String(next.id), expected]]);
    expect(words).toContainEqual([
      "stack",
      "history",
      "--json",
      "--page-size",
      "100",
      "--stack",
      "dev",
      "--non-interactive",
    ]);
    if (entry === undefined) expect(stderr).toContain("The history of stack dev could not be read");
  });

  test("lets sweep refuse a stack whose key ids are encrypted, by the name of the stack", async () => {
    const state = stack({ rotating: { keyId: sealed } });
    const { code, stderr } = await ask(state, ["sweep", "--stack", "dev"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/stack dev contains encrypted key ids/)]);
  });

  test.each([["keys"], ["sweep"], ["doctor"]])("refuses a wrong name for %s, and starts nothing", async (command) => {
    const { code, stderr, words } = await ask(stack(), [command, "--stack=-s"]);
    expect([code, stderr, words]).toEqual([2, expect.stringContaining("--stack must be"), []]);
    expect(await plane.count()).toBe(0);
  });

  test.each<[string, string, RegExp]>([
    [
      "has no such stack",
      fails("no stack named 'dev' found", 6),
      /stack dev cannot be read: the selected backend has no stack of this name\. .*PULUMI_BACKEND_URL/,
    ],
    [
      "is not logged in",
      fails("PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions", 3),
      /the Pulumi CLI is not logged in\. Run `pulumi login`/,
    ],
    [
      "finds no project",
      fails("no Pulumi.yaml project file found; either run this command from"),
      /the folder has no Pulumi\.yaml\. .*ORGANIZATION\/PROJECT\/STACK/,
    ],
    ["fails otherwise", fails(SECRET), /`pulumi stack export` failed with exit code 255\. Run it to see/],
    ["answers with something else", `console.log("${SECRET}")`, /the answer of `pulumi stack export` is not JSON/],
  ])("names the remedy if the Pulumi CLI %s, and repeats nothing that it printed", async (_, script, message) => {
    const { code, stdout, stderr } = await ask(script, ["sweep", "--stack", "dev"]);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringMatching(message)]);
    expect(stderr).toContain("--state FILE");
    expect(stderr).not.toContain(SECRET);
    expect(await plane.count()).toBe(0);
  });

  test("names the remedy if there is no Pulumi CLI", async () => {
    const { code, stderr } = await ask("", ["keys", "--stack", "dev"], { KEYPLANE_PULUMI: "/nowhere/pulumi" });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/the Pulumi CLI was not found\. .*KEYPLANE_PULUMI/)]);
  });
});

describe("the doctor", () => {
  const PROJECT = { "Pulumi.yaml": "name: proj\nruntime: python\n" };
  const unset = { KEYPLANE_BASE_URL: "", KEYPLANE_API_KEY: "" };
  const secret = (value: string) => ({ value, secret: true });
  const plain = (value: string) => ({ value, secret: false });

  /** A Pulumi CLI that exports a state and prints this configuration. */
  const pulumi = (config: object, state: StackFile = {}) =>
    `if (words[1] === "history") console.log("[]");
else if (words[0] === "stack") { ${stack(state)} }
else if (words[0] === "config") console.log(${JSON.stringify(JSON.stringify(config))});
else console.log("v3.200.1");`;

  /** The findings by check, as `verdict: what -> remedy`. */
  const findings = ({ stdout }: Asked): Record<string, string> => {
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; verdict: string; says: string; remedy?: string }[];
    };
    return Object.fromEntries(
      findings.map(({ check, verdict, says, remedy }) => [check, `${verdict}: ${says} -> ${remedy ?? ""}`]),
    );
  };

  test.each<[string, readonly string[], NodeJS.ProcessEnv, readonly string[]]>([
    ["of the selected stack", [], {}, []],
    ["of --stack", ["--stack", "dev"], {}, ["--stack", "dev"]],
    ["of PULUMI_STACK", [], { PULUMI_STACK: "dev" }, ["--stack", "dev"]],
  ])("tests the service with the credential %s, and shows it nowhere", async (_, args, env, words) => {
    const { key } = await plane.state.createKey("ci");
    const config = { "keyplane:baseUrl": plain(`${plane.url}`), "keyplane:apiKey": secret(key), "proj:x": secret("x") };
    const asked = await ask(pulumi(config), ["doctor", "--json", ...args], { ...unset, ...env }, PROJECT);
    expect(findings(asked).credential).toMatch(/^ok: accepted: a personal key/);
    expect(asked.words).toContainEqual(["config", "--json", "--show-secrets", ...words, "--non-interactive"]);
    expect(asked.stdout + asked.stderr).not.toContain(key);
  });

  test("tests the stack's credential, and not that of the environment, which a run would not use", async () => {
    const script = pulumi({ "keyplane:apiKey": secret("kp_revoked_0123456789") });
    const asked = await ask(script, ["doctor", "--json"], {}, PROJECT);
    expect(findings(asked).credential).toMatch(/^fail: the service does not accept the API key \(401\)/);
    expect(asked.stdout + asked.stderr).not.toContain("kp_revoked_0123456789");
  });

  test("tests the accounts that are a secret of the stack", async () => {
    const accounts = JSON.stringify({ eu: { apiKey: plane.apiKey, baseUrl: plane.url } });
    const asked = await ask(pulumi({ "keyplane:accounts": secret(accounts) }), ["doctor", "--json"], {}, PROJECT);
    expect(findings(asked)["account eu"]).toMatch(/^ok: accepted: a personal key/);
  });

  test("finds a key in plain text, wrong settings, and wrong names of settings", async () => {
    const config = { "keyplane:apiKey": plain("kp_in_clear_0123456789"), "keyplane:pollInterval": plain("often") };
    const named = {
      "keyplane:baseurl": plain("x"),
      [`keyplane:kp_${"7c9e6679f81b4de5a2c8f0b1d3e5f7a9".repeat(2)}`]: plain("x"),
    };
    const asked = await ask(pulumi({ ...config, ...named }), ["doctor", "--json"], {}, PROJECT);
    const found = findings(asked);
    expect([asked.code, found.credential]).toEqual([1, expect.stringMatching(/^fail: .*plain text -> .*Revoke/)]);
    expect(found.settings).toMatch(/^fail: .*pollInterval must be a duration/);
    // The plugin refuses an unknown setting, and the npm package ignores it.
    expect(found["setting baseurl"]).toMatch(/^fail: .*Did you mean baseUrl\?/);
    expect(found["setting kp_[secret]"]).toMatch(/^fail: /);
    const node = { "Pulumi.yaml": "name: proj\nruntime: nodejs\n" };
    const ignored = findings(await ask(pulumi(named), ["doctor", "--json"], {}, node));
    expect(ignored["setting baseurl"]).toMatch(/^warn: .*no effect/);
    // The project has the prefix of keyplane's settings for its own.
    const own = { "Pulumi.yaml": "name: keyplane\nruntime: yaml\n" };
    const shared = findings(
      await ask(pulumi({ ...named, "keyplane:zone": plain("x") }), ["doctor", "--json"], {}, own),
    );
    expect(Object.keys(shared).filter((check) => check.startsWith("setting "))).toEqual(["setting baseurl"]);
    expect(asked.stdout + asked.stderr).not.toMatch(/in_clear|7c9e6679/);
  });

  test("finds each secret setting in plain text, also the keys to import", async () => {
    const accounts = JSON.stringify({ eu: { apiKey: plane.apiKey, baseUrl: plane.url } });
    const importKeys = JSON.stringify({ 17: "kp_in_clear_0123456789" });
    const config = { "keyplane:accounts": plain(accounts), "keyplane:importKeys": plain(importKeys) };
    const asked = await ask(pulumi(config), ["doctor", "--json"], {}, PROJECT);
    const found = findings(asked);
    expect([found.accounts, found["import-keys"]]).toEqual([
      expect.stringMatching(/^fail: .*keyplane:accounts/),
      expect.stringMatching(/^fail: .*keyplane:importKeys/),
    ]);
    expect([asked.code, asked.stdout + asked.stderr]).toEqual([1, expect.not.stringContaining("in_clear")]);
  });

  test("says why the configuration cannot be read, and what to do", async () => {
    const asked = await ask(fails("incorrect passphrase"), ["doctor", "--json"], unset, PROJECT);
    expect(findings(asked).config).toMatch(
      /^fail: .*not read: the passphrase is not the stack's, .*not tested -> Correct PULUMI_CONFIG_PASSPHRASE/,
    );
    expect([asked.code, await plane.count()]).toEqual([1, 0]);
    expect(asked.stdout + asked.stderr).not.toContain(SECRET);
    const none = await ask(fails("no stack selected; please use"), ["doctor", "--json"], unset, PROJECT);
    expect(findings(none).config).toMatch(/^fail: .*no stack is selected, .* -> Pass --stack NAME/);
    // The environment can have everything.
    expect(findings(await ask(fails("x"), ["doctor", "--json"], {}, PROJECT))).not.toHaveProperty("config");
  });

  test("refuses a credential of the stack that is not a key, without showing it, not even in another setting", async () => {
    const config = (apiKey: string) => ({
      "keyplane:baseUrl": plain(`${plane.url}/kp_verysecret_4711`),
      "keyplane:apiKey": secret(apiKey),
    });
    const wrong = await ask(pulumi(config("two words verysecret")), ["doctor", "--json"], unset, PROJECT);
    expect(findings(wrong).settings).toMatch(/^fail: keyplane:apiKey/);
    expect(wrong.stdout + wrong.stderr).not.toContain("two words verysecret");
    const within = await ask(pulumi(config("kp_verysecret_4711")), ["doctor", "--json"], unset, PROJECT);
    expect(findings(within)["base-url"]).toContain("[secret]");
    expect(within.stdout + within.stderr).not.toContain("verysecret");
  });

  test.each<[string, StackFile, RegExp]>([
    ["holds keys", { keys: ["100001", "100002"] }, /^ok: proj\/dev holds 2 keys/],
    [
      "was killed",
      { creating: ["abcdefghijk2"] },
      /^warn: proj\/dev was saved during a run.* -> .*`pulumi up`.*`npx keyplane sweep`.*`pulumi refresh --clear-pending-creates`/,
    ],
  ])("shows that the stack %s", async (_, file, finding) => {
    const asked = await ask(pulumi({}, file), ["doctor", "--json", "--stack", "dev"], {}, PROJECT);
    expect(findings(asked).stack).toMatch(finding);
  });

  test("shows why a stack cannot be read, and goes on", async () => {
    const args = ["doctor", "--json", "--stack", "dev"];
    const missing = await ask(fails("no stack named 'dev' found"), args, {}, PROJECT);
    expect([missing.code, findings(missing).stack]).toEqual([
      1,
      expect.stringMatching(/^fail: stack dev was not read: the selected backend has no stack of this name -> /),
    ]);
    const without = await ask("", args, { KEYPLANE_PULUMI: "/nowhere/pulumi" }, PROJECT);
    expect([without.code, findings(without).stack]).toEqual([
      0,
      expect.stringMatching(/^warn: stack dev was not read: the Pulumi CLI was not found -> /),
    ]);
  });

  test("says what depends on the history if it cannot be read", async () => {
    const script = `if (words[1] === "history") { ${fails("no history")} } else if (words[0] === "config") console.log("{}"); else { ${stack()} }`;
    const { code, ...asked } = await ask(script, ["doctor", "--json", "--stack", "dev"], {}, PROJECT);
    expect([code, findings({ code, ...asked }).stack]).toEqual([
      1,
      expect.stringMatching(/^fail: stack dev was not read: `pulumi stack history` failed.* -> .*previous keys/),
    ]);
  });

  test("asks the Pulumi CLI for its version that runs ask, too", async () => {
    const known = findings(await ask(`console.log("v3.200.1");`, ["doctor", "--json"]));
    expect(known["pulumi-cli"]).toBe("ok: pulumi 3.200.1 -> ");
    const env = { KEYPLANE_PULUMI: "/nowhere/pulumi" };
    expect(findings(await ask("", ["doctor", "--json"], env))["pulumi-cli"]).toMatch(/^warn: KEYPLANE_PULUMI names no/);
  });
});
