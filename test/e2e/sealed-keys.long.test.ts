import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { PassphraseSecrets } from "../../testing/engine/state/secrets";
import { LIST, POST, PROJECTS } from "../routes";
import { DAY } from "../times";
import { AgeReader, controller, GitHubReader, RsaReader } from "../unit/seal/opener";
import { hostsOf } from "./hosts";
import { memoryHolds } from "./process-memory";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

const github = new GitHubReader();
const kms = new RsaReader();
let ann: AgeReader;
let bob: AgeReader;

let plane: ControlPlane;
let example: StackUnderTest;

beforeAll(async () => {
  [ann, bob] = await Promise.all([AgeReader.create(), AgeReader.create()]);
});

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await example.workspace.remove();
  await plane.close();
});

/** Whether the control plane accepts a key. */
async function works(key: string): Promise<boolean> {
  const { status } = await fetch(`${plane.url}/projects?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  return status === 200;
}

/** The files below a folder. Does not follow links: those to packages lead in circles. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

/** Everything that somebody reads who has all files of a stack and its passphrase. */
async function readByPassphrase(directory: string, passphrase: string): Promise<string> {
  const texts = filesBelow(directory).map((file) => readFileSync(file, "utf8"));
  const salts = new Set(
    texts.flatMap((text) => Array.from(text.matchAll(/v1:[\w+/=]{12}:v1:[\w+/=]+:[\w+/=]+/g), String)),
  );
  const secrets = await Promise.all(Array.from(salts, (salt) => PassphraseSecrets.open(passphrase, salt)));
  const opened = texts.flatMap((text) =>
    Array.from(text.matchAll(/v1:[\w+/=]{16}:[\w+/=]+/g), ([ciphertext]) => {
      const found = secrets.flatMap((each) => {
        try {
          return [each.decrypt(ciphertext)];
        } catch {
          return [];
        }
      });
      return found.join("\n");
    }),
  );
  return [...texts, ...opened].join("\n");
}

/** The secrets of all keys that the service has created so far, without the admin's. */
async function created(): Promise<string[]> {
  return (await plane.secretsEverIssued()).filter((secret) => secret !== plane.apiKey);
}

/** Checks that the passphrase opens none of the keys that were created, and that the search would find them. */
async function expectNoReadableKey(run: StackUnderTest, printed: readonly string[], planted: string): Promise<void> {
  const env = run.workspace.env;
  const all = [
    await readByPassphrase(run.workspace.directory, String(env.PULUMI_CONFIG_PASSPHRASE)),
    ...printed,
  ].join();
  expect(all).toContain(planted);
  for (const secret of await created()) expect(all.includes(secret), "a key is readable").toBe(false);
}

test("sealed: only the recipients can read the keys of the example, with the requests of any other key", async () => {
  const config = {
    recipients: JSON.stringify([ann.recipient, bob.recipient]),
    githubKey: JSON.stringify({ key: github.key }),
    clusterCertificate: controller.certificate,
    cloudKey: kms.pem,
  };
  example = await StackUnderTest.of(plane, "sealed", { config });
  const requests = await example.requestsOf(() => example.run("up"));
  expect(requests.sort()).toEqual([LIST, PROJECTS, ...Array(3).fill(POST)]);
  const outputs = (await example.workspace.outputs()) as {
    opsKey: { age: string };
    ciKey: string;
    shopKey: string;
    shopSecret: { spec: { encryptedData: { NEON_API_KEY: string } } };
  };
  const inCluster = controller.open(outputs.shopSecret.spec.encryptedData.NEON_API_KEY, "shop/neon-api-key");
  const keys = [await ann.open(outputs.opsKey.age), github.open(outputs.ciKey), inCluster];
  expect(kms.open(outputs.shopKey)).toBe(inCluster);
  expect(keys.sort()).toEqual((await created()).sort());
  expect(await bob.open(outputs.opsKey.age)).toBe(await ann.open(outputs.opsKey.age));
  expect(await Promise.all(keys.map(works))).toEqual([true, true, true]);
  expect(await example.requestsOf(() => example.runIdle("preview"))).toEqual([]);
  expect(await example.requestsOf(() => example.runIdle("up"))).toEqual([]);
  await example.destroy();
});

/** A program with a sealed key of each kind. */
const program = ({ n = 1, recipient = ann.recipient, verify = false } = {}) => `
const args = { sealTo: { age: ["${recipient}"] }, rotationTriggers: { n: ${n} }, verify: ${verify} };
const rotating = new RotatingApiKey("app", { ...args, gracePeriod: "1h" });
const single = new ApiKey("ci", args);
exports.current = rotating.sealedKey;
exports.previous = rotating.previousSealedKey;
exports.single = single.sealedKey;
exports.plain = pulumi.secret([rotating.key, rotating.previousKey, single.key]);
exports.planted = pulumi.secret(["planted", "for-the-search"].join("-"));
`;

const NPM = "const pulumi = require('@pulumi/pulumi'); const { ApiKey, RotatingApiKey } = require('keyplane');";

test("a sealTo that has no effect in the end leaves no readable key: the key is encrypted, or refused", async () => {
  const key = (kind: string, args: string, options = "{}") =>
    `${NPM}\nexports.key = new ${kind}("ci", ${args}, ${options}).key;`;
  const sealed = `{ sealTo: { age: ["${ann.recipient}"] }, rotateAfter: "90d" }`;
  example = await StackUnderTest.of(plane, { "index.js": key("ApiKey", "{}") });
  await example.run("up");
  await example.workspace.setProgram({ "index.js": key("ApiKey", sealed, '{ ignoreChanges: ["sealTo"] }') });
  await example.run("up");
  expect(await created()).toHaveLength(1);
  expect(await example.workspace.secretsInClear()).toEqual([]);
  for (const kind of ["ApiKey", "RotatingApiKey"]) {
    for (const [input, code] of [
      ["sealTo", "KP-SEAL"],
      ["projectId", "KP-INPUT"],
    ]) {
      const args = `{ organizationId: "org-local-1", ${input}: pulumi.output(undefined) }`;
      await example.workspace.setProgram({ "index.js": key(kind, args) });
      const { exit, stdout } = await example.run("preview", { mayFail: true });
      expect(exit).not.toBe(0);
      expect(stdout).toMatch(new RegExp(`${input}: .*${code}`));
    }
  }
});

test.each(FRONT_ENDS)(
  "the passphrase and every file of the stack show no sealed key of the %s, whatever its runs did",
  async (frontEnd) => {
    const stack = await StackUnderTest.create(frontEnd, plane, program());
    example = stack;
    const printed: string[] = [];
    const up = async (text: string, options = {}) => {
      await stack.setProgram(text);
      const { stdout, stderr } = await example.run("up", options);
      printed.push(stdout, stderr);
      const { current, previous, single, plain } = (await example.workspace.outputs({ showSecrets: true })) as Record<
        string,
        { age: string } | undefined | null
      >;
      expect(JSON.stringify(plain)).toBe("[null,null,null]");
      return { current: String(current?.age), previous: previous?.age, single: String(single?.age) };
    };

    const first = await up(program());
    const key = await ann.open(first.current);
    expect(await works(key)).toBe(true);
    expect(first.previous).toBeUndefined();
    const second = await up(program({ n: 2 }));
    expect(await ann.open(second.previous)).toBe(key);
    expect(await works(await ann.open(second.current))).toBe(true);
    expect(await works(await ann.open(second.single))).toBe(true);
    expect(await works(await ann.open(first.single))).toBe(false);

    // Another recipient: the ApiKey is replaced, and the RotatingApiKey waits for the end of the grace.
    const third = await up(program({ n: 2, recipient: bob.recipient }));
    expect(await works(await bob.open(third.single))).toBe(true);
    await plane.clock.advance(2 * DAY);
    const fourth = await up(program({ n: 2, recipient: bob.recipient }));
    expect(await works(await bob.open(fourth.current))).toBe(true);

    // A run that cannot verify its keys, and the next one, which replaces them.
    await plane.rules.add({ route: PROJECTS, status: 500, count: null });
    await up(program({ n: 3, recipient: bob.recipient, verify: true }), { mayFail: true });
    await plane.rules.clear();
    const fifth = await up(program({ n: 3, recipient: bob.recipient, verify: true }));
    expect(await works(await bob.open(fifth.single))).toBe(true);
    printed.push((await example.run("refresh")).stdout);
    await expectNoReadableKey(example, printed, "planted-for-the-search");
    expect((await created()).length).toBeGreaterThan(6);
    await example.destroy();
  },
  300_000,
);

/** Programs for two keys. The second one is created after the first one. */
const TWO_KEYS = (sealTo: object) => `
const first = new ApiKey("first", { sealTo: ${JSON.stringify(sealTo)}, verify: true });
new ApiKey("second", { sealTo: ${JSON.stringify(sealTo)} }, { dependsOn: first });
`;

test.runIf(process.platform === "linux").each(FRONT_ENDS)(
  "no process of a run has a sealed key of the %s any more when another verb runs",
  async (frontEnd) => {
    const kubernetes = { certificate: controller.certificate, namespace: "shop", name: "api-key" };
    const sealTo = { age: [ann.recipient], githubActions: { key: github.key }, kubernetes, rsa: [kms.pem] };
    const stack = await StackUnderTest.create(frontEnd, plane, TWO_KEYS(sealTo));
    example = stack;
    // Not in the stack's folder, because a snapshot has the account's own key.
    const dumps = mkdtempSync(join(tmpdir(), "keyplane-heap-"));
    try {
      await plane.rules.add({ route: POST, hold: "before", skip: 1 });
      const env = { NODE_OPTIONS: `--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${dumps}` };
      const { done } = example.workspace.start("up", { env });
      await plane.held.wait(1, 60_000);
      const [secret = ""] = await created();
      const hosts = hostsOf(example.workspace);
      expect(hosts.length).toBeGreaterThan(0);
      const others = example.workspace.processes().filter((pid) => !hosts.includes(pid));
      for (const pid of others) expect(memoryHolds(pid, secret), "not the provider").toBe(false);
      for (const pid of hosts) expect(memoryHolds(pid, plane.apiKey), "the search").toBe(true);
      // The collection of garbage before a snapshot frees what nothing refers to.
      for (const pid of hosts) process.kill(pid, "SIGUSR2");
      const snapshots = () => readdirSync(dumps).map((file) => readFileSync(join(dumps, file), "utf8"));
      await expect
        .poll(() => snapshots().filter((text) => text.trimEnd().endsWith("}")), { timeout: 60_000 })
        .toHaveLength(hosts.length);
      const base64 = Buffer.from(secret).toString("base64").slice(0, 40);
      const hex = Buffer.from(secret).toString("hex");
      const all = snapshots().join("\n");
      expect(all.includes(plane.apiKey), "the search").toBe(true);
      expect([secret, base64, hex].map((form) => all.includes(form))).toEqual([false, false, false]);
      await plane.held.release();
      expect((await done).exit).toBe(0);
      await example.destroy();
    } finally {
      rmSync(dumps, { recursive: true, force: true });
    }
  },
  180_000,
);
