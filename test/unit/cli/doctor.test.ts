import { symlink } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkNode } from "../../../cli/doctor/program";
import { unreachable } from "../../../provider/http/unreachable";
import { type ControlPlane, startControlPlane } from "../../../testing/control-plane";
import { envOf, folderWith, run } from "./support";

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

const PROJECT = { "Pulumi.yaml": "name: proj\nruntime: nodejs\n", "package.json": {} };

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
  const { code, stdout, stderr } = await run(["doctor", "--json"], surroundings);
  const { ok, findings } = JSON.parse(stdout) as {
    ok: boolean;
    findings: { check: string; verdict: string; says: string; remedy?: string }[];
  };
  const ills = findings.filter(({ check, verdict }) => verdict !== "ok" && check !== "pulumi-cli");
  expect(ills.filter(({ remedy = "" }) => remedy === "")).toEqual([]);
  return { code, ok, ills: ills.map(({ check, says }) => `${check}: ${says}`), output: stdout + stderr };
}

test("a working set-up has no findings", async () => {
  expect(await examine({}, await program())).toMatchObject({ code: 0, ok: true, ills: [] });
});

test("a program in another language uses the plugin, and needs no packages of Node", async () => {
  const files = { "Pulumi.yaml": "name: proj\nruntime:\n  name: python\n" };
  expect((await examine({}, await program(files, { keyplane: false, sdk: false }))).ills).toEqual([]);
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
  "a base URL in clear": {
    env: () => ({ KEYPLANE_BASE_URL: "http://api.example.com/api/v2" }),
    ill: /^settings: .*must begin with https/,
  },
  "no credential": { env: () => ({ KEYPLANE_API_KEY: "" }), ill: /^config: .*lacks settings/ },
  "a credential with a line break": {
    env: () => ({ KEYPLANE_API_KEY: "kp_broken_0123456789\n" }),
    ill: /^settings: .*line break/,
  },
  "a revoked credential": {
    env: () => ({ KEYPLANE_API_KEY: "kp_revoked_0123456789" }),
    ill: /^credential: .*does not accept the API key \(401\)/,
  },
  "an interval that is none": {
    env: () => ({ KEYPLANE_POLL_INTERVAL: "often" }),
    ill: /^settings: keyplane:pollInterval must be a duration/,
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
  "two copies of the SDK": {
    folder: () => {
      const copy = { name: "@pulumi/pulumi", version: "3.248.0" };
      return program({ ...PROJECT, "node_modules/@pulumi/pulumi/package.json": copy }, { sdk: false });
    },
    ill: /^sdk-copies: the program and keyplane use different copies/,
    warns: true,
  },
  "another version of keyplane": {
    folder: () => {
      const other = {
        name: "keyplane",
        version: "0.0.1",
        exports: { "./package.json": "./package.json", "./provider": "./p.js" },
      };
      const files = {
        "node_modules/keyplane/package.json": other,
        "node_modules/keyplane/p.js": "exports.ApiKey = {};",
      };
      return program({ ...PROJECT, ...files }, { keyplane: false });
    },
    ill: /^keyplane: the program has keyplane 0\.0\.1/,
    warns: true,
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
  await plane.rules.add({ route: "GET /api_keys", status: 403, count: null });
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

test("a version in the program's folder reaches the terminal without control sequences, and no code of it runs", async () => {
  const keyplane = { name: "keyplane", version: "\u001b[2J0.1.0\u009b31m\u202e", main: "gone.js" };
  const files = { "node_modules/keyplane/package.json": keyplane, "node_modules/keyplane/gone.js": "process.exit(9);" };
  const folder = await program({ ...PROJECT, ...files }, { keyplane: false });
  const { code, stdout, stderr } = await run(["doctor"], { env: { ...envOf(plane), PATH: "" }, cwd: folder });
  expect([code, stdout]).toEqual([0, expect.stringContaining("the program has keyplane 0.1.0")]);
  expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
