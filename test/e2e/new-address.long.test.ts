import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ControlPlane, type EngineCommandName, type RunOptions, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FRONT_ENDS, type FrontEnd, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let door: OtherDoor;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  door = await OtherDoor.open(plane);
});

afterEach(async () => {
  await stack.run.workspace.remove();
  await Promise.all([plane.close(), door.close()]);
});

/** Another address of a control plane. It records every request that arrives there, before it passes it on. */
class OtherDoor {
  readonly arrived: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(plane: ControlPlane): Promise<OtherDoor> {
    const { origin } = new URL(plane.url);
    const server = createServer((incoming, answer) => {
      const { method, url = "", headers } = incoming;
      self.arrived.push(`${method} ${url.replace("/api/v2", "").replace(/\?.*/, "")}`);
      const passed = request(`${origin}${url}`, { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const self = new OtherDoor(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`);
    return self;
  }

  async arrivedDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
    this.arrived.length = 0;
    await work();
    return [...this.arrived];
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

const KEYS = 'new ApiKey("ci");\nnew RotatingApiKey("app");\nnew ApiKey("exact", { name: "exact" });';

/** A program with a key in each of two accounts. */
function twoAccounts(frontEnd: FrontEnd, quarter: string): string {
  const triggers = `rotationTriggers: { quarter: "${quarter}" }`;
  const home = `new ApiKey("home", { ${triggers} });`;
  if (frontEnd === "npm package") return `${home} new ApiKey("abroad", { account: "eu", ${triggers} });`;
  return `${home}
    const settings = { baseUrl: config.require("euUrl"), apiKey: config.requireSecret("euKey") };
    const provider = new (require("plugin-sdk").Provider)("eu", settings);
    new ApiKey("abroad", { ${triggers} }, { provider });`;
}

/** Sets the address of the second account, for both front ends. */
async function moveAbroad(baseUrl: string): Promise<void> {
  const { workspace } = stack.run;
  const { apiKey } = plane;
  await workspace.setConfig("keyplane:accounts", JSON.stringify({ eu: { baseUrl, apiKey } }), { secret: true });
  await workspace.setConfig("euUrl", baseUrl);
  await workspace.setConfig("euKey", apiKey, { secret: true });
}

/** A refusal of the new address, with the confirmation that it asks for. */
const REFUSAL = /now leads to (http:\/\/127\.0\.0\.1:\d+), .*run the command once with (\w+)=([a-z2-7]{12})/;

/** On a busy machine, this many runs take a long time. */
const LONG = 600_000;

/** Runs a command, and returns what it prints. */
async function told(
  command: EngineCommandName,
  options: RunOptions = {},
): Promise<{ exit: number | null; text: string }> {
  const { exit, stdout, stderr } = await stack.run.run(command, { mayFail: true, ...options });
  return { exit, text: stdout + stderr };
}

/** Checks that a command fails, changes nothing, and sends nothing to the new address. Returns the confirmation. */
async function refused(command: EngineCommandName, args: readonly string[] = []): Promise<Record<string, string>> {
  const keys = await stack.live();
  const { exit, text } = await told(command, { args: [...args] });
  expect(exit, text).not.toBe(0);
  expect([...new Set(text.match(/\[KP-[A-Z-]+\]/g))], text).toEqual(["[KP-WRONG-ACCOUNT]"]);
  expect(door.arrived, `${command} ${args.join(" ")}`).toEqual([]);
  expect(await stack.live()).toEqual(keys);
  const [, address = "", variable = "", fingerprint = ""] = REFUSAL.exec(text) ?? [];
  expect(address, text).toBe(new URL(door.url).origin);
  return { [variable]: fingerprint };
}

const commands = (): readonly [EngineCommandName, readonly string[]][] => [
  ["up", []],
  ["up", ["--refresh"]],
  ["up", ["--target", stack.urn("ApiKey", "more")]],
  ["refresh", []],
  ["refresh", ["--target", stack.urn("RotatingApiKey", "app")]],
  ["destroy", []],
  ["destroy", ["--target", stack.urn("ApiKey", "exact")]],
  ["destroy", ["--continue-on-error"]],
];

describe.each(FRONT_ENDS)("a new address of the service, with the %s", (frontEnd) => {
  test("gets no request before the user confirms it, and then a list proves that it has the keys", {
    timeout: LONG,
  }, async () => {
    stack = await StackUnderTest.create(frontEnd, plane, KEYS);
    await stack.up();
    const keys = await stack.live();
    await stack.run.workspace.setConfig("keyplane:baseUrl", door.url);

    const preview = await stack.run.run("preview");
    expect(preview.diagnostics.filter(({ message }) => message.includes("now leads to"))).toHaveLength(1);
    expect(door.arrived).toEqual([]);

    await stack.setProgram(`${KEYS}\nnew ApiKey("more");`);
    // The first one records the new settings, which the other commands use.
    const env = await refused("up");
    for (const [command, args] of commands()) expect(await refused(command, args)).toEqual(env);

    const confirmed = await door.arrivedDuring(async () => expect((await told("preview", { env })).exit).toBe(0));
    expect(confirmed).toEqual([]);
    const sent = await door.arrivedDuring(() => stack.up({ env }));
    // The ledger of the npm package looks for orphans after a key was created.
    const sweep = frontEnd === "plugin" ? [] : ["GET /api_keys"];
    expect(sent.toSorted()).toEqual([...sweep, "GET /api_keys", "POST /api_keys"]);
    expect(await stack.live()).toEqual(expect.arrayContaining(keys));

    expect(await door.arrivedDuring(() => stack.run.runIdle("up"))).toEqual([]);
    expect(await door.arrivedDuring(() => stack.run.runIdle("refresh"))).toEqual(["GET /api_keys"]);
    await stack.run.destroy();
  });

  test("of one account gets no request before the user confirms it, and the other account goes on", {
    timeout: LONG,
  }, async () => {
    const home = await startControlPlane({ clock: { mode: "real" } });
    try {
      stack = await StackUnderTest.create(frontEnd, home, twoAccounts(frontEnd, "1"));
      await moveAbroad(plane.url);
      await stack.up();
      await moveAbroad(door.url);
      await stack.setProgram(twoAccounts(frontEnd, "2"));
      const { exit, text } = await told("up");
      expect(exit, text).not.toBe(0);
      if (frontEnd === "npm package") expect(text).toContain("keyplane:accounts.eu.baseUrl now leads to");
      const [, , variable = "", fingerprint = ""] = REFUSAL.exec(text) ?? [];
      expect((await told("destroy", { args: ["--target", stack.urn("ApiKey", "abroad")] })).exit).not.toBe(0);
      await stack.up({ args: ["--target", stack.urn("ApiKey", "home")] });
      expect(await home.count("POST", "/api_keys"), "the rotation of the key at home").toBe(2);
      expect(door.arrived).toEqual([]);
      await stack.up({ env: { [variable]: fingerprint } });
      expect(await plane.count("POST", "/api_keys")).toBe(2);
      await stack.run.destroy();
      expect(await plane.liveKeys()).toEqual([]);
    } finally {
      await home.close();
    }
  });

  test("does not get the keys of another service, although the user confirms it", { timeout: LONG }, async () => {
    const away = await startControlPlane({ clock: { mode: "real" }, apiKey: plane.apiKey });
    try {
      stack = await StackUnderTest.create(frontEnd, plane, KEYS);
      await stack.up();
      await stack.run.workspace.setConfig("keyplane:baseUrl", away.url);
      const first = await told("up");
      const [, , variable = "", fingerprint = ""] = REFUSAL.exec(first.text) ?? [];
      expect(await away.log()).toEqual([]);
      const env = { [variable]: fingerprint };
      for (const command of ["up", "refresh", "destroy"] as const) {
        const { exit, text } = await told(command, { env });
        expect(exit, text).not.toBe(0);
        expect(text).toMatch(/the account that they now lead to has no key of this stack.*\[KP-WRONG-ACCOUNT\]/);
      }
      expect(new Set((await away.log()).map(({ method, route }) => `${method} ${route}`))).toEqual(
        new Set(["GET /api_keys"]),
      );
      await stack.run.workspace.setConfig("keyplane:baseUrl", plane.url);
      await stack.up();
      await stack.run.destroy();
    } finally {
      await away.close();
    }
  });
});
