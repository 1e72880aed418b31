import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { holdingsOf } from "../../../cli/identify/identify";
import { stateFiles } from "../../../cli/state/state-files";
import { readStates } from "../../../cli/state/states";
import { keyDigest } from "../../../provider/key-digest";
import { startControlPlane } from "../../../testing/control-plane";
import { startCpuClock } from "../cpu-clock";
import { keyOf } from "./key-of";
import { sealed, strangeName } from "./stack-file";
import { envOf, folderWith, run } from "./support";

/** What a state has of its keys. */
interface Keys {
  readonly stack?: string;
  readonly savedAt?: string;
  /** Outputs of an `ApiKey` named `ci`, and of a `RotatingApiKey` named `app`. */
  readonly apiKey?: object;
  readonly rotating?: object;
  readonly plugin?: boolean;
}

function state(keys: Keys): { readonly version: number; readonly deployment: object } {
  const { stack = "prod", apiKey, rotating, plugin = false, savedAt = "2026-11-20T00:00:00Z" } = keys;
  const urn = (type: string, name: string) => `urn:pulumi:${stack}::shop::${type}::${name}`;
  const type = (kind: string) => `${plugin ? "keyplane:index:" : "pulumi-nodejs:dynamic/keyplane:"}${kind}`;
  const resource = (ofType: string, name: string, rest: object) => ({
    urn: urn(ofType, name),
    custom: true,
    type: ofType,
    id: "id",
    ...rest,
  });
  const secrets = { key: sealed, previousKey: sealed };
  const key = (kind: string, name: string, outputs: object) =>
    resource(type(kind), name, {
      outputs: { ...secrets, ...outputs },
      id: String((outputs as { keyId?: string }).keyId),
    });
  const consumer = (name: string, on: string) =>
    resource("aws:ssm/parameter:Parameter", name, {
      outputs: { value: sealed },
      propertyDependencies: { value: [on] },
    });
  const resources = [
    { urn: urn("pulumi:pulumi:Stack", `shop-${stack}`), type: "pulumi:pulumi:Stack", custom: false },
    ...(apiKey ? [key("ApiKey", "ci", apiKey), consumer("for-ci", urn(type("ApiKey"), "ci"))] : []),
    ...(rotating
      ? [
          key("RotatingApiKey", "app", rotating),
          consumer("for-app", urn(type("RotatingApiKey"), "app")),
          { ...consumer("replaced", urn(type("RotatingApiKey"), "app")), delete: true },
        ]
      : []),
  ];
  return { version: 3, deployment: { manifest: { time: savedAt }, resources } };
}

/** Maximum processor time for a key that was found in a state, in microseconds. */
const MICROS_FOR_A_KEY = 400;

const digestOf = (number: number) => keyDigest(keyOf(number));
const current = (number: number, id: number | string) => ({
  keyId: String(id),
  name: strangeName("app"),
  digest: digestOf(number),
  createdAt: "2026-11-01T00:00:00Z",
});
const previous = (number: number, id: number | string) => ({
  previousKeyId: String(id),
  previousName: strangeName("app"),
  previousDigest: digestOf(number),
  rotatedAt: "2026-11-01T00:00:01Z",
});

interface Answer {
  readonly keys: readonly {
    keyId: string;
    digest: string;
    others: { source: string }[];
    next: string[];
    [field: string]: unknown;
  }[];
  readonly unknown: readonly { digest: string; credential?: string }[];
  readonly states: number;
  readonly problems: readonly string[];
}

/** Runs `identify --json`. Checks that nothing that was found is in any output. */
async function identified(input: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { code, stdout, stderr } = await run(["identify", "--json", ...args], { input, env });
  for (const secret of input.match(/[a-z0-9]{64}/g) ?? []) expect(stdout + stderr).not.toContain(secret.slice(8, 40));
  return { code, stderr, ...(JSON.parse(stdout) as Answer) };
}

test("a text on the command line is refused, because others can see it there", async () => {
  for (const args of [[keyOf(1)], ["--json", keyOf(1), "x"]]) {
    const { code, stdout, stderr } = await run(["identify", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/takes no argument.*standard input/)]);
    expect(stdout + stderr).not.toContain(keyOf(1).slice(8, 40));
  }
});

test("the exit code tells scanners whether there was no key, only known ones, or an unknown one", async () => {
  const folder = await folderWith({ "prod.json": state({ apiKey: current(1, 100001) }) });
  const codeFor = async (text: string) => (await identified(text, ["--state", join(folder, "prod.json")])).code;
  expect(await codeFor("nothing to see")).toBe(0);
  expect(await codeFor(`token=${keyOf(1)}`)).toBe(3);
  expect(await codeFor(`token=${keyOf(2)}`)).toBe(4);
  expect(await codeFor(`${keyOf(1)} ${keyOf(2)}`)).toBe(4);
});

test("a current and a previous key are told apart, with stack, resource, times, users and what to do, offline", async () => {
  const rotating = { ...current(1, 100006), ...previous(2, 100005), organizationId: "org-1", projectId: "shop-db" };
  const folder = await folderWith({ "prod.json": state({ rotating }) });
  const { keys, unknown } = await identified(`${keyOf(1)}\n${keyOf(2)}`, ["--state", join(folder, "prod.json")]);
  expect(unknown).toEqual([]);
  const urn = "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/keyplane:RotatingApiKey::app";
  const users = ["urn:pulumi:prod::shop::aws:ssm/parameter:Parameter::for-app"];
  const both = {
    stack: "shop/prod",
    urn,
    type: "RotatingApiKey",
    usedBy: users,
    organizationId: "org-1",
  };
  expect(keys).toMatchObject([
    { ...both, keyId: "100006", role: "current", digest: digestOf(1), createdAt: "2026-11-01T00:00:00.000Z" },
    { ...both, keyId: "100005", role: "previous", digest: digestOf(2), replacedAt: "2026-11-01T00:00:01.000Z" },
  ]);
  expect(keys[0]?.next[0]).toContain(
    'Set `revokeNow: "100006"` in the arguments of RotatingApiKey "app", and run `pulumi up`',
  );
  expect(keys[1]?.next[0]).toContain('revokeNow: "100005"');
  expect(keys[0]?.next[1]).toContain("`npx keyplane revoke 100006 --organization org-1`");
  const { stdout } = await run(["identify", "--state", join(folder, "prod.json")], { input: keyOf(2) });
  expect(stdout).toMatch(
    /key 100005 app-.*\n.*shop\/prod.*\n.*app \(RotatingApiKey\): previous key\n[\s\S]*used by +for-app/,
  );
});

test("the advice for an ApiKey replaces it by another trigger, or by the first one", async () => {
  const advice = async (outputs: object) => {
    const folder = await folderWith({ "prod.json": state({ apiKey: { ...current(1, 100001), ...outputs } }) });
    return (await identified(keyOf(1), ["--state", join(folder, "prod.json")])).keys[0]?.next[0];
  };
  const change = 'Add `leaked: "100001"` to the rotationTriggers of ApiKey "ci"';
  for (const outputs of [{ rotationTriggers: { at: "1" } }, {}, { name: "deploy" }]) {
    expect(await advice(outputs)).toContain(change);
  }
  // Its successor cannot get the name.
  expect(await advice({ name: "deploy", revokeOnDelete: false })).toContain("keyplane revoke 100001");
});

test("what is not a state is refused with its name, and an argument that may be a secret without it", async () => {
  await expect(stateFiles([keyOf(1)])).rejects.toThrow(/path 1 does not exist/);
  const folder = await folderWith({ "wrong.json": { not: "a state" }, "broken.json": "{", "empty/none.txt": "" });
  for (const [path, expected] of [
    [join(folder, "wrong.json"), /wrong\.json is neither/],
    [join(folder, "broken.json"), /broken\.json is not JSON/],
    [join(folder, "none.json"), /none\.json does not exist/],
    [join(folder, "empty"), /empty contains no state/],
    [keyOf(1), /path 1 does not exist/],
  ] as const) {
    const { code, stderr } = await run(["identify", "--state", path], { input: keyOf(1) });
    expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
    expect(stderr).not.toContain(keyOf(1).slice(8, 40));
  }
  const { code, stderr } = await run(["identify", "--stack", `-${keyOf(1)}`], { input: keyOf(1) });
  expect([code, stderr]).toEqual([2, expect.not.stringContaining(keyOf(1).slice(8, 40))]);
});

test("with a credential, the last use is shown and whether the key is listed, with one list and no other request", async () => {
  const plane = await startControlPlane();
  try {
    const made = await plane.state.createKey(strangeName("ci"));
    const { name } = (await plane.liveKeys()).find(({ id }) => id === made.id) ?? { name: "" };
    await plane.state.useKey(made.id, 60_000);
    const gone = { ...previous(2, 999_999) };
    const rotating = { ...current(1, made.id), digest: keyDigest(made.key), name, ...gone };
    const folder = await folderWith({ "prod.json": state({ rotating }) });
    const text = `${made.key} ${keyOf(2)} ${keyOf(3)}`;
    const { keys, code, unknown } = await identified(text, ["--state", join(folder, "prod.json")], envOf(plane));
    expect(code).toBe(4);
    expect(keys).toMatchObject([
      {
        keyId: String(made.id),
        listed: true,
        lastUsedAt: expect.stringMatching(/Z$/),
        lastUsedFromAddr: expect.any(String),
      },
      {
        keyId: "999999",
        listed: false,
        next: [expect.stringMatching(/it is revoked, or in another account/), expect.stringMatching(/^At once/)],
      },
    ]);
    expect(unknown).toEqual([{ digest: digestOf(3) }]);
    expect((await plane.log()).map(({ method, path }) => `${method} ${path}`)).toEqual([
      expect.stringMatching(/^GET .*\/api_keys$/),
    ]);
    // The same id in another account is another key.
    const strange = state({ rotating: { ...rotating, name: strangeName("app") } });
    const elsewhere = await folderWith({ "prod.json": strange });
    expect((await identified(made.key, ["--state", join(elsewhere, "prod.json")], envOf(plane))).keys).toMatchObject([
      // The command must not revoke that one, so it only shows its plan.
      {
        listed: false,
        next: [expect.anything(), expect.stringMatching(/of its account: `npx keyplane revoke \d+`/)],
        revoke: `npx keyplane revoke ${made.id}`,
      },
    ]);
  } finally {
    await plane.close();
  }
});

test("a key whose account was not asked is only planned to be revoked, because its id can be somebody else's", async () => {
  const folder = await folderWith({ "prod.json": state({ apiKey: current(1, 100001) }) });
  const { stdout } = await run(["identify", "--state", join(folder, "prod.json")], { input: keyOf(1) });
  expect(stdout).toMatch(
    /with the settings of its account: `npx keyplane revoke 100001`\. If the plan shows .*`--yes`/,
  );
});

test("a key that stays live without its resource is only to be revoked", async () => {
  const kept = state({ apiKey: { ...current(1, 100001), revokeOnDelete: false } });
  const { resources } = kept.deployment as { readonly resources: readonly { readonly id?: string }[] };
  const marked = resources.map((each) => (each.id === "100001" ? { ...each, delete: true } : each));
  const folder = await folderWith({
    "prod.json": { ...kept, deployment: { ...kept.deployment, resources: marked } },
  });
  const { keys } = await identified(keyOf(1), ["--state", folder]);
  expect(keys[0]?.next).toEqual([expect.stringMatching(/^At once, /)]);
});

test("the key of a replaced resource is not said to be in use", async () => {
  const replaced = state({ apiKey: current(1, 100001) });
  const { resources } = replaced.deployment as { readonly resources: readonly { readonly id?: string }[] };
  const marked = resources.map((each) => (each.id === "100001" ? { ...each, delete: true } : each));
  const folder = await folderWith({
    "prod.json": { ...replaced, deployment: { ...replaced.deployment, resources: marked } },
  });
  const { keys } = await identified(keyOf(1), ["--state", join(folder, "prod.json")]);
  expect(keys[0]?.next[0]).toMatch(/^The next `pulumi up` of shop\/prod revokes it/);
});

test("a newer state that has no key or suffix in common does not say that a key is no longer in use", async () => {
  const folder = await folderWith({
    "here.json": state({ apiKey: current(1, 100001) }),
    "elsewhere.json": state({ apiKey: current(2, 100002), savedAt: "2026-11-21T00:00:00Z" }),
  });
  const { keys } = await identified(keyOf(1), ["--state", folder]);
  expect(keys[0]?.next[0]).toMatch(/^Add `leaked: /);
});

test("a service that cannot be asked is reported, and the key is identified all the same", async () => {
  const folder = await folderWith({ "prod.json": state({ apiKey: current(1, 100001) }) });
  const env = {
    KEYPLANE_BASE_URL: "http://127.0.0.1:1/api/v2",
    KEYPLANE_API_KEY: keyOf(9),
    KEYPLANE_REQUEST_TIMEOUT: "1s",
  };
  const { code, keys, stderr } = await identified(keyOf(1), ["--state", join(folder, "prod.json")], env);
  expect([code, keys[0]?.keyId, stderr]).toEqual([3, "100001", expect.stringContaining("could not be listed")]);
});

test("an account that could not be asked is not said to lack a credential, and JSON has the problem, too", async () => {
  const folder = await folderWith({ "prod.json": state({ apiKey: current(1, 100001) }) });
  const plane = await startControlPlane();
  try {
    const env = { ...envOf(plane), KEYPLANE_API_KEY: keyOf(9) };
    const args = ["--state", join(folder, "prod.json")];
    const { stdout } = await run(["identify", ...args], { input: keyOf(1), env });
    expect(stdout).toMatch(/last use +unknown \(the account could not be asked\)/);
    const problem = expect.stringMatching(/^The keys of KEYPLANE_API_KEY could not be listed: .*401/);
    expect((await identified(keyOf(1), args, env)).problems).toEqual([problem]);
    expect((await identified(keyOf(1), args)).problems).toEqual([]);
    const offline = await run(["identify", ...args], { input: keyOf(1) });
    expect(offline.stdout).toMatch(/last use +unknown \(no credential of the account is set\)/);
  } finally {
    await plane.close();
  }
});

test("an account that is not configured is refused before the text is read, as by the other commands", async () => {
  const { code, stdout, stderr } = await run(["identify", "--account", "nope"], { input: keyOf(1) });
  expect([code, stdout, stderr]).toEqual([
    2,
    "",
    expect.stringMatching(/--account does not name an account in KEYPLANE_/),
  ]);
});

test("a key that keyplane authenticates with is recognized, and replaced before it is revoked", async () => {
  const folder = await folderWith({ "prod.json": state({ apiKey: current(1, 100001) }) });
  const args = ["--state", join(folder, "prod.json")];
  // With letters of both cases, it has not the form of the service's keys.
  const mixed = keyOf(2).replace(/[a-f]/g, (letter) => letter.toUpperCase());
  const accounts = { eu: { apiKey: mixed, baseUrl: "http://127.0.0.1:1/api/v2" } };
  const env = { KEYPLANE_API_KEY: keyOf(9), KEYPLANE_ACCOUNTS: JSON.stringify(accounts) };
  const { code, unknown } = await identified(`${keyOf(9)} ${mixed}`, args, env);
  expect([code, unknown]).toEqual([
    3,
    [
      { digest: digestOf(9), credential: "keyplane:apiKey" },
      { digest: keyDigest(mixed), credential: "keyplane:accounts.eu.apiKey" },
    ],
  ]);
  const { stdout, stderr } = await run(["identify", ...args], { input: keyOf(9), env });
  const [page = ""] = /docs\/[\w-]+\.md/.exec(stderr) ?? [];
  expect(existsSync(page)).toBe(true);
  expect(stdout).toMatch(
    /^keyplane's own key .*\n +owner +keyplane:apiKey\n +next +.*Create another key.*`pulumi up`.*\n +Find its id/,
  );
  expect(stdout).toMatch(/1 key found, 1 identified\n$/);
  // Also a key of a stack can be the one that keyplane authenticates with.
  const { keys } = await identified(keyOf(1), args, { KEYPLANE_API_KEY: keyOf(1) });
  expect(keys[0]).toMatchObject({
    next: [
      expect.stringMatching(/^keyplane authenticates with it .*Create another key/),
      expect.anything(),
      expect.anything(),
    ],
  });
  expect((await identified(`${keyOf(9)} ${keyOf(3)}`, args, env)).code).toBe(4);
});

test("many keys of one state, and many states of one stack, take time in proportion to their number", async () => {
  const [keys, states] = [1_000, 100];
  const urn = (type: string, name: string) => `urn:pulumi:prod::shop::${type}::${name}`;
  const type = "pulumi-nodejs:dynamic/keyplane:ApiKey";
  const numbers = Array.from({ length: keys }, (_, at) => at);
  const resources = numbers.flatMap((at) => [
    { urn: urn(type, `${at}`), custom: true, type, id: `${at + 1}`, outputs: { ...current(at, at + 1), key: sealed } },
    { urn: urn("aws:ssm/parameter:Parameter", `${at}`), type: "x", dependencies: [urn(type, `${at}`)], outputs: {} },
  ]);
  const deployment = (time: string) => ({ version: 3, deployment: { manifest: { time }, resources } });
  const older = (at: number) =>
    state({ apiKey: current(at % 5, (at % 5) + 1), savedAt: new Date(at * 1_000).toISOString() });
  const folder = await folderWith({
    "many.json": deployment("2026-11-20T00:00:00Z"),
    "newest.json": deployment("2026-11-21T00:00:00Z"),
    ...Object.fromEntries(Array.from({ length: states }, (_, at) => [`older-${at}.json`, older(at)])),
  });
  const wanted = new Set(numbers.flatMap((at) => digestOf(at) ?? []));
  const given = await readStates({ state: [folder] });
  const usedMicros = startCpuClock();
  const holdings = holdingsOf(given, wanted);
  const used = usedMicros();
  expect(holdings).toHaveLength(2 * keys + states);
  expect(holdings.every(({ source, consumers }) => source.includes("older") || consumers.length === 1)).toBe(true);
  // Twice what it needs on a busy machine. A search of the state for each key needs many times as much.
  expect(used / holdings.length).toBeLessThan(MICROS_FOR_A_KEY);
});

test("a key is not taken for the key of another account that has its id", async () => {
  const __suffix = "abcdefgh2345678";
  const [ours, theirs] = [current(1, 7), { ...current(2, 7), name: strangeName("other"), account: "eu" }];
  const folder = await folderWith({
    "both.json": state({ apiKey: { ...ours, __suffix }, rotating: theirs }),
    // The newest state has only the one of the other account.
    "newest.json": state({ apiKey: { __suffix }, rotating: theirs, savedAt: "2026-11-21T00:00:00Z" }),
  });
  const states = await readStates({ state: [folder] });
  const found = [1, 2].map((number) => holdingsOf(states, new Set([digestOf(number) ?? ""])));
  expect(found.map((holdings) => holdings.map(({ source, roleNow }) => [source.split("/").at(-1), roleNow]))).toEqual([
    [["both.json", undefined]],
    [
      ["newest.json", "current"],
      ["both.json", "current"],
    ],
  ]);
});

/** The files of many stacks. Each has a key of its own, and some were copied, renamed or restored. */
function corpus(): { readonly files: Readonly<Record<string, object>>; readonly expected: Map<number, object> } {
  const files: Record<string, object> = {};
  const expected = new Map<number, object>();
  for (let at = 0; at < 120; at++) {
    const id = 200_000 + at;
    const own = { stack: `s${at}` };
    const __suffix = `${String(at).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "")}2345678`;
    const held = { role: "current", roleNow: "current", stack: `shop/s${at}`, source: `s${at}.json`, others: 0 };
    const rotating = { ...current(at, id), __suffix };
    files[`s${at}.json`] = state({ ...own, rotating });
    if (at % 6 === 1) {
      // A copy under another name manages the same key.
      files[`copy-${at}.json`] = state({ stack: `c${at}`, rotating, savedAt: "2026-11-19T00:00:00Z" });
      expected.set(at, { ...held, others: 1 });
    } else if (at % 6 === 2) {
      // Only the state of a renamed stack is left.
      files[`s${at}.json`] = state({ stack: `renamed${at}`, rotating });
      expected.set(at, { ...held, stack: `shop/renamed${at}` });
    } else if (at % 6 === 3) {
      // An older state has the key as the current one, the newest one as the previous one.
      const rotated = { ...current(1_000 + at, 300_000 + at), ...previous(at, id), __suffix };
      files[`backup-${at}.json`] = state({ ...own, rotating, savedAt: "2026-10-01T00:00:00Z" });
      files[`s${at}.json`] = state({ ...own, rotating: { ...rotated, previousName: rotating.name } });
      expected.set(at, { ...held, role: "previous", roleNow: "previous", others: 1 });
    } else if (at % 6 === 4) {
      // The newest state has it no more: the older one must not say that it is in use.
      files[`s${at}.json`] = state({ ...own, rotating, savedAt: "2026-10-01T00:00:00Z" });
      files[`newer-${at}.json`] = state({ ...own, rotating: { ...current(1_000 + at, 300_000 + at), __suffix } });
      expected.set(at, { ...held, roleNow: undefined });
    } else if (at % 6 === 5) {
      // A stack of the same name in another backend has another suffix, and is no newer state of this one.
      const elsewhere = { ...current(1_000 + at, 300_000 + at), __suffix: __suffix.replace(/2/g, "7") };
      files[`elsewhere-${at}.json`] = state({ ...own, rotating: elsewhere, savedAt: "2026-11-22T00:00:00Z" });
      expected.set(at, held);
    } else expected.set(at, held);
  }
  return { files, expected };
}

test("the answers for a corpus of states with copied, renamed and restored ones are exact", async () => {
  const { files, expected } = corpus();
  const folder = await folderWith(files);
  const wanted = new Set([...expected.keys()].flatMap((at) => digestOf(at) ?? []));
  const states = await readStates({ state: [folder] });
  const holdings = holdingsOf(states, wanted);
  expect(states).toHaveLength(Object.keys(files).length);
  for (const [at, answer] of expected) {
    const [first, ...others] = holdings.filter(({ digest }) => digest === digestOf(at));
    const { role, roleNow, stack, source = "" } = first ?? {};
    const found = { role, roleNow, stack, source: source.slice(folder.length + 1), others: others.length };
    expect(found, `key ${at}`).toEqual(answer);
    expect(first?.id).toBe(String(200_000 + at));
  }
});

test.skipIf(process.platform === "win32")(
  "the workflow of the example finds a key in any commit of a push, with the state from the Pulumi CLI, and fails",
  async () => {
    const root = resolve(__dirname, "../../..");
    const workflow = parse(readFileSync(join(root, "examples/identify/identify.yml"), "utf8"));
    const steps: readonly { readonly run?: string }[] = workflow.jobs.identify.steps;
    const { run: script = "" } = steps.find(({ run }) => run?.includes("keyplane identify")) ?? {};
    const folder = await folderWith({
      "bin/npx": `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${join(root, "dist/cli/main.js")}' "$@"\n`,
      "bin/pulumi": `#!/bin/sh\n[ "$*" = "stack export --stack prod --non-interactive" ] && cat '${join("..", "prod.json")}'\n`,
      "prod.json": state({ apiKey: current(1, 100001) }),
      "repository/.env": `KEY=${keyOf(1)}\n`,
    });
    for (const name of ["npx", "pulumi"]) chmodSync(join(folder, "bin", name), 0o755);
    const cwd = join(folder, "repository");
    const summary = join(folder, "summary.md");
    const env = {
      PATH: `${join(folder, "bin")}:${process.env.PATH}`,
      HOME: folder,
      STACK: "prod",
      GITHUB_STEP_SUMMARY: summary,
    };
    const bash = (text: string, more: object = {}) =>
      spawnSync("bash", ["-eo", "pipefail", "-c", text], { cwd, env: { ...env, ...more }, encoding: "utf8" });
    const commit = "git -c user.name=a -c user.email=a@b.test commit -qm";
    expect(bash(`git init -q && ${commit} first --allow-empty && git add . && ${commit} leak`)).toMatchObject({
      status: 0,
    });
    expect(bash(`git rm -q .env && ${commit} removed`)).toMatchObject({ status: 0 });
    const before = bash("git rev-parse HEAD~2").stdout.trim();
    for (const range of [{ BEFORE: before }, { BEFORE: "0".repeat(40) }]) {
      const { status, stdout } = bash(script, range);
      expect([status, stdout]).toEqual([3, expect.stringMatching(/^key 100001 .*\n {2}stack +shop\/prod/)]);
    }
    expect(readFileSync(summary, "utf8")).not.toContain(keyOf(1).slice(8, 40));
    expect(bash(script, { BEFORE: bash("git rev-parse HEAD").stdout.trim() })).toMatchObject({ status: 0 });
  },
);

test("the command that revokes a key names the account where it was found", async () => {
  const [home, away] = [await startControlPlane(), await startControlPlane()];
  try {
    const victim = await home.state.createKey("somebody-elses");
    const name = strangeName("ci");
    const leaked = await away.state.createKey(name);
    expect(leaked.id).toBe(victim.id);
    const apiKey = { keyId: String(leaked.id), name, digest: keyDigest(leaked.key) };
    const folder = await folderWith({ "prod.json": state({ apiKey }) });
    const env = {
      ...envOf(home),
      KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { baseUrl: away.url, apiKey: away.apiKey } }),
    };
    const commandFor = async (...args: string[]) => {
      const { stdout } = await run(["identify", ...args], { input: leaked.key, env });
      return /npx keyplane (revoke [^`\n]*)/.exec(stdout)?.[1] ?? "";
    };
    const at = `revoke ${leaked.id} --account eu --yes`;
    expect(await commandFor("--account", "eu", "--state", join(folder, "prod.json"))).toBe(at);
    await run(at.split(" "), { env });
    expect((await home.liveKeys()).map(({ id }) => id)).toContain(victim.id);
    expect((await away.liveKeys()).map(({ id }) => id)).not.toContain(leaked.id);
  } finally {
    await Promise.all([home.close(), away.close()]);
  }
});

test("a replacement is not said to revoke an ApiKey that stays live when its resource is replaced", async () => {
  const apiKey = { keyId: "100001", name: strangeName("ci"), digest: keyDigest(keyOf(1)) };
  const adviceFor = async (outputs: object) => {
    const folder = await folderWith({ "prod.json": state({ apiKey: { ...apiKey, ...outputs } }) });
    return (await run(["identify", "--state", join(folder, "prod.json")], { input: keyOf(1) })).stdout;
  };
  expect(await adviceFor({})).toContain("and then this one is revoked");
  expect(await adviceFor({ revokeOnDelete: false })).toContain("but this one stays live");
});
