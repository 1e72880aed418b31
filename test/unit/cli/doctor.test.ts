import { readFile, symlink } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkNode } from "../../../cli/doctor/program";
import { unreachable } from "../../../provider/http/unreachable";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { LIST } from "../../routes";
import { envOf, folderWith, run, start } from "./support";

const root = resolve(__dirname, "../../..");
const servers: Server[] = [];

let plane: ControlPlane;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await plane.close();
});

/** A program for which no TypeScript is loaded, which takes as long as all other checks. */
const PROJECT = { "Pulumi.yaml": "name: proj\nruntime: { name: nodejs, options: { typescript: false } }\n" };
const TYPESCRIPT = { "Pulumi.yaml": "name: proj\nruntime: nodejs\n" };

interface Packages {
  readonly keyplane?: boolean;
  readonly sdk?: boolean;
}

/** A program's folder, with links to the packages of this repository. */
async function program(
  files: Readonly<Record<string, string | object>> = PROJECT,
  { keyplane = true, sdk = true }: Packages = {},
): Promise<string> {
  const folder = await folderWith({ "node_modules/@pulumi/.keep": "", ...files });
  if (keyplane) await symlink(root, join(folder, "node_modules/keyplane"));
  if (sdk) await symlink(join(root, "node_modules/@pulumi/pulumi"), join(folder, "node_modules/@pulumi/pulumi"));
  return folder;
}

/** A program for which Pulumi loads this TypeScript. */
async function programWith(typescript: string, files: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const sdk = {
    "node_modules/@pulumi/pulumi/package.json": { name: "@pulumi/pulumi", version: "3.248.0" },
    "node_modules/@pulumi/pulumi/typescript-shim.js": typescript,
  };
  const keyplane = { "node_modules/keyplane/package.json": { name: "keyplane", version: "0.2.0" } };
  return program({ ...TYPESCRIPT, ...sdk, ...keyplane, ...files }, { keyplane: false, sdk: false });
}

/** The address of a server on this machine. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Examined {
  readonly code: number | null;
  readonly ok: boolean;
  /** The findings that are not ok, as `check: what`. */
  readonly ills: readonly string[];
  readonly output: string;
}

/** Runs the doctor without a Pulumi CLI, and ignores that finding. */
async function examine(env: NodeJS.ProcessEnv, folder: string): Promise<Examined> {
  const surroundings = { env: { ...envOf(plane), PATH: "", ...env }, cwd: folder };
  // A preload takes effect only at the start of a process.
  const ending = env.NODE_OPTIONS === undefined ? run : (...given: Parameters<typeof run>) => start(...given).done;
  const { code, stdout, stderr } = await ending(["doctor", "--json"], surroundings);
  const { ok, findings } = JSON.parse(stdout) as {
    ok: boolean;
    findings: { check: string; verdict: string; says: string; remedy?: string }[];
  };
  const ills = findings.filter(({ check, verdict }) => verdict !== "ok" && check !== "pulumi-cli");
  expect(ills.filter(({ remedy = "" }) => remedy === "")).toEqual([]);
  return { code, ok, ills: ills.map(({ check, says }) => `${check}: ${says}`), output: stdout + stderr };
}

test("a working set-up has no findings", async () => {
  expect(await examine({}, await program(TYPESCRIPT))).toMatchObject({ code: 0, ok: true, ills: [] });
});

test("a program in another language uses the plugin, and needs no packages of Node", async () => {
  const files = { "Pulumi.yaml": "name: proj\nruntime:\n  name: python\n" };
  const { ills, output } = await examine({}, await program(files, { keyplane: false, sdk: false }));
  expect(ills).toEqual([]);
  expect(output).toContain("runtime python, which uses the keyplane plugin");
});

test("TypeScript in ES modules, which Pulumi does not load by itself, is reported unless a loader is configured", async () => {
  const files = { "package.json": { type: "module" }, "index.ts": "export {};" };
  const found = (more: Readonly<Record<string, string | object>>) => programWith("", { ...files, ...more });
  const { code, ills } = await examine({}, await found({}));
  expect([code, ills]).toEqual([1, [expect.stringMatching(/^modules: .*Unknown file extension "\.ts"/)]]);
  for (const works of [
    { "Pulumi.yaml": 'name: proj\nruntime: { name: nodejs, options: { nodeargs: "--import tsx" } }\n' },
    { "Pulumi.yaml": "name: proj\nruntime: nodejs\nmain: dist/index.js\n" },
    { "package.json": { type: "module", main: "dist/index.js" } },
  ]) {
    expect((await examine({}, await found(works))).ills).toEqual([]);
  }
});

test("the doctor accepts a TypeScript that Pulumi cannot load if Pulumi.yaml says not to load any", async () => {
  expect((await examine({}, await programWith('exports.version = "7.0.2"', PROJECT))).ills).toEqual([]);
});

test.each([
  ["npm", "no lock file", {}],
  ["pnpm", "pnpm-lock.yaml", { "pnpm-lock.yaml": "" }],
  ["yarn", "package.json", { "package.json": { packageManager: "yarn@4.5.0" }, "pnpm-lock.yaml": "" }],
  ["bun", "Pulumi.yaml", { "Pulumi.yaml": "name: p\nruntime: { name: nodejs, options: { packagemanager: bun } }\n" }],
])("the doctor names the package manager %s, by %s, and the command that adds a package with it", async (...given) => {
  const [name, source, files] = given;
  const { output } = await examine({}, await program({ ...PROJECT, ...files }, { keyplane: false }));
  expect(output).toContain(`"${name} (${source})"`);
  expect(output).toContain(`\`${name} ${name === "npm" ? "install" : "add"} keyplane\``);
});

test("the doctor finds packages by Yarn's Plug'n'Play if Yarn has started it", async () => {
  const links = { keyplane: root, "@pulumi/pulumi": join(root, "node_modules/@pulumi/pulumi") };
  // As Yarn's own file: it finds the packages that no folder has.
  const pnp = `
    const Module = require("node:module");
    const find = Module._resolveFilename;
    process.versions.pnp = "3";
    Module._resolveFilename = (name, ...others) => {
      const link = Object.keys(LINKS).find((each) => name === each || name.startsWith(each + "/"));
      if (link === undefined) return find(name, ...others);
      return find(name, { ...others[0], filename: LINKS[link] + "/x.js", paths: [MODULES] });
    };`;
  const [modules, all] = [join(root, "node_modules"), links].map((value) => JSON.stringify(value));
  const file = `const [MODULES, LINKS] = [${modules}, ${all}];${pnp}`;
  // A TypeScript that the project does not fit shows that it was loaded.
  const tsconfig = { compilerOptions: { module: "none-such" } };
  const files = { ...TYPESCRIPT, ".pnp.cjs": file, "yarn.lock": "", "tsconfig.json": tsconfig };
  const folder = await program(files, { keyplane: false, sdk: false });
  const { ills } = await examine({ NODE_OPTIONS: `--require ${join(folder, ".pnp.cjs")}` }, folder);
  expect(ills).toEqual([expect.stringMatching(/^tsconfig: .*TS6046/)]);
});

test("the doctor tries the key of each account", async () => {
  const tried = (apiKey: string) =>
    program().then((folder) => examine({ KEYPLANE_ACCOUNTS: JSON.stringify({ eu: { apiKey } }) }, folder));
  expect((await tried(plane.apiKey)).ills).toEqual([]);
  expect(await tried("kp_a_key_that_does_not_work_4713")).toMatchObject({
    code: 1,
    ills: [expect.stringMatching(/^account eu: the service does not accept the API key/)],
  });
});

/** A set-up with one problem, and the finding that the doctor must report. */
interface Broken {
  readonly env?: () => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>;
  readonly folder?: () => Promise<string>;
  readonly ill: RegExp;
  /** Whether the finding is only a warning. */
  readonly warns?: true;
}

const brokenSetups: Readonly<Record<string, Broken>> = {
  "no base URL": { env: () => ({ KEYPLANE_BASE_URL: "" }), ill: /^config: .*lacks settings/ },
  "no credential": { env: () => ({ KEYPLANE_API_KEY: "" }), ill: /^config: .*lacks settings/ },
  "a credential with a line break": {
    env: () => ({ KEYPLANE_API_KEY: "kp_broken_0123456789\n" }),
    ill: /^settings: .*line break/,
  },
  "a revoked credential": {
    env: () => ({ KEYPLANE_API_KEY: "kp_revoked_0123456789" }),
    ill: /^credential: .*does not accept the API key \(401\)/,
  },
  "a host that does not exist": {
    env: () => ({ KEYPLANE_BASE_URL: "https://no-such-host.invalid/api/v2" }),
    ill: /^service: the name no-such-host\.invalid cannot be resolved/,
  },
  "a port where nothing listens": {
    env: () => ({ KEYPLANE_BASE_URL: "http://127.0.0.1:1/api/v2" }),
    ill: /^service: no service listens at 127\.0\.0\.1:1 \(ECONNREFUSED\)/,
  },
  "https to a server without TLS": {
    env: () => ({ KEYPLANE_BASE_URL: plane.url.replace("http:", "https:") }),
    ill: /^service: .* does not speak TLS/,
  },
  "a server that never answers": {
    env: async () => ({ KEYPLANE_BASE_URL: await serve(() => {}), KEYPLANE_REQUEST_TIMEOUT: "1s" }),
    ill: /^service: .* received the request, but did not answer within 1 s/,
  },
  "a base URL without its path": {
    env: () => ({ KEYPLANE_BASE_URL: new URL(plane.url).origin }),
    ill: /^base-url: .*has no list of keys at this path \(404\)/,
  },
  "the address of a web page": {
    env: async () => {
      const page: RequestListener = (_, answer) => answer.setHeader("content-type", "text/html").end("<h1>Hello</h1>");
      return { KEYPLANE_BASE_URL: await serve(page) };
    },
    ill: /^base-url: .*does not return a list of keys/,
  },
  "an address that has moved": {
    env: async () => {
      const moved = await serve((_, answer) => answer.writeHead(308, { location: plane.url }).end());
      return { KEYPLANE_BASE_URL: moved };
    },
    ill: /^base-url: the service redirects \(308\)/,
  },
  "a clock that is wrong": {
    env: async () => {
      await plane.clock.set({ offsetMs: 20 * 60_000 });
      return {};
    },
    ill: /^clock: this machine's clock is (19|20) min behind/,
    warns: true,
  },
  "a folder without a program": { folder: () => folderWith({}), ill: /^program: there is no Pulumi\.yaml/ },
  "a program without a runtime": {
    folder: () => program({ "Pulumi.yaml": "name: proj\n" }),
    ill: /^program: .*sets no runtime/,
  },
  "a Pulumi.yaml that is not YAML": {
    folder: () => program({ "Pulumi.yaml": "name: [\n" }),
    ill: /^program: .*is not valid YAML/,
  },
  "a program without keyplane": {
    folder: () => program(PROJECT, { keyplane: false }),
    ill: /^keyplane: the program cannot find keyplane/,
  },
  "a program without the SDK": {
    folder: () => program(PROJECT, { sdk: false }),
    ill: /^pulumi-sdk: the program cannot find @pulumi\/pulumi/,
  },
  "an SDK that is too old": {
    folder: () => {
      const old = { name: "@pulumi/pulumi", version: "3.100.0" };
      return program({ ...PROJECT, "node_modules/@pulumi/pulumi/package.json": old }, { sdk: false });
    },
    ill: /^pulumi-sdk: @pulumi\/pulumi 3\.100\.0 is not supported/,
  },
  "the module resolution of older templates": {
    folder: async () => {
      const compilerOptions = { module: "commonjs", moduleResolution: "node" };
      const folder = await program({ ...TYPESCRIPT, "tsconfig.json": { compilerOptions } });
      await symlink(join(root, "node_modules/typescript"), join(folder, "node_modules/typescript"));
      return folder;
    },
    ill: /^tsconfig: TypeScript 6\.\S+ refuses "moduleResolution": "node" \(TS5107\)/,
  },
  "a TypeScript that Pulumi cannot load, also for a program in JavaScript": {
    folder: () => programWith('exports.version = "7.0.2"', { "index.js": "" }),
    ill: /^typescript: .*TypeScript 7\.0\.2/,
  },
  "a tsconfig.json for a newer TypeScript than Pulumi's own, which a program without one gets": {
    folder: () => {
      const vendored = join(root, "node_modules/@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js");
      const tsconfig = { compilerOptions: { module: "nodenext" } };
      return programWith(`module.exports = require(${JSON.stringify(vendored)})`, { "tsconfig.json": tsconfig });
    },
    ill: /^tsconfig: .*TypeScript 3\.8\.3.*\(TS6046\)/,
  },
  "Yarn's Plug'n'Play in a command that Yarn has not started": {
    folder: () => program({ ...PROJECT, ".pnp.cjs": "", "yarn.lock": "" }, { keyplane: false, sdk: false }),
    ill: /^packages: Yarn's Plug'n'Play/,
  },
};

describe("the doctor reports exactly the one problem:", () => {
  test.each(Object.entries(brokenSetups))("%s", async (_, { env, folder, ill, warns }) => {
    const place = await (folder ?? program)();
    const { code, ills, output } = await examine((await env?.()) ?? {}, place);
    expect(ills).toEqual([expect.stringMatching(ill)]);
    expect(code).toBe(warns ? 0 : 1);
    expect(output).not.toMatch(/kp_(broken|revoked)/);
    expect(output).not.toContain(plane.apiKey);
  });
});

test("the doctor's text output says line by line what to do", async () => {
  const env = { ...envOf(plane), KEYPLANE_API_KEY: "kp_revoked_0123456789", PATH: "" };
  const { code, stdout } = await run(["doctor"], { env, cwd: await program() });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^fail {2}credential {2}the service does not accept the API key \(401\)\n {18}-> Set KEYPLANE_API_KEY/m,
  );
  expect(stdout).toMatch(/^warn {2}pulumi-cli {2}`pulumi` is not on the PATH$/m);
  expect(stdout).toMatch(/\n1 error, 1 warning\.\n$/);
});

test("the doctor distinguishes a credential without permission to list keys from a wrong one", async () => {
  await plane.rules.add({ route: LIST, status: 403, count: null });
  const { ills } = await examine({}, await program());
  expect(ills).toEqual([
    "credential: accepted: a personal key, but it does not have the permission to list keys (403)",
  ]);
});

test.each([
  ["20.18.0", "fail"],
  ["20.18.1", "ok"],
  ["22.0.0", "ok"],
])("the doctor judges Node %s as %s", (version, verdict) => {
  expect(checkNode(version)).toMatchObject({ verdict, says: expect.stringContaining(version) });
});

test.each([
  ["CERT_HAS_EXPIRED", /certificate .* is not trusted/],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", /certificate .* is not trusted/],
  ["UND_ERR_CONNECT_TIMEOUT", /did not accept the connection in time/],
  ["ENETUNREACH", /there is no route/],
  ["ECONNRESET", /closed the connection/],
])("the doctor explains a connection that ends with %s", (code, words) => {
  expect(unreachable({ code, sent: true }, "host", "the base URL", 1_000).says).toMatch(words);
});

test("the doctor names an unusable proxy without its password", async () => {
  const settings = { KEYPLANE_BASE_URL: "https://api.example/api/v2", HTTPS_PROXY: "http://user:sentinel@host:99999" };
  const { ills, output } = await examine(settings, await program());
  expect(ills).toEqual([expect.stringMatching(/^proxy: HTTPS_PROXY is not the address of an HTTP proxy/)]);
  expect(output).not.toContain("sentinel");
});

test("the doctor blames a proxy that is down, not the service", async () => {
  const settings = { KEYPLANE_BASE_URL: "https://api.example/api/v2", HTTPS_PROXY: "user:sentinel@127.0.0.1:1" };
  const { ills, output } = await examine(settings, await program());
  expect(ills).toEqual([expect.stringMatching(/^proxy: the proxy 127\.0\.0\.1:1 \(HTTPS_PROXY\)/)]);
  expect(output).not.toContain("sentinel");
});

test("the doctor loads TypeScript in a separate process, which gets no settings and no credentials", async () => {
  const typescript = `require("node:fs").writeFileSync("env.json", JSON.stringify({ ...process.env, ppid: process.ppid }));
exports.version = "6.0.0"; exports.sys = { readFile() {}, fileExists: () => true };
exports.ModuleResolutionKind = { Node10: 2 }; exports.readConfigFile = () => ({});
exports.parseJsonConfigFileContent = () => ({ options: {}, errors: [] });`;
  const folder = await programWith(typescript);
  const settings = {
    ...envOf(plane),
    KEYPLANE_ACCOUNTS: "{}",
    PULUMI_ACCESS_TOKEN: "pul-sentinel",
    PULUMI_CONFIG_PASSPHRASE: "passphrase-sentinel",
    AWS_SECRET_ACCESS_KEY: "aws-sentinel",
    NODE_OPTIONS: "--no-warnings",
    HTTPS_PROXY: "http://user:proxy-sentinel@127.0.0.1:9",
  };
  const env = { ...settings, PATH: folder, HOME: folder };
  const { child, done } = start(["doctor", "--json"], { env, cwd: folder });
  const { code, stdout } = await done;
  expect([code, stdout]).toEqual([0, expect.stringContaining("fits TypeScript 6.0.0")]);
  const passedOn = JSON.parse(await readFile(join(folder, "env.json"), "utf8")) as NodeJS.ProcessEnv;
  expect(passedOn).toMatchObject({ PATH: folder, HOME: folder, ppid: child.pid });
  expect(Object.keys(settings).filter((variable) => variable in passedOn)).toEqual([]);
});

test("a version in the program's folder reaches the terminal without control sequences", async () => {
  const keyplane = { name: "keyplane", version: "\u001b[2J0.1.0\u009b31m\u202e" };
  const files = { ...PROJECT, "node_modules/keyplane/package.json": keyplane };
  const folder = await program(files, { keyplane: false });
  const { code, stdout, stderr } = await run(["doctor"], { env: { ...envOf(plane), PATH: "" }, cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {4}keyplane {4}keyplane 0\.1\.0/m)]);
  expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
