import { type ControlPlane, type RunResult, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, LIST, POST } from "../routes";
import { DAY } from "../times";
import { FRONT_ENDS, type FrontEnd, messagesOf, ON_CLI, StackUnderTest } from "./stack-under-test";

/** A rotating key that adopts the key in the stack's configuration, if there is one. */
const PROGRAM = `
  const pulumi = require("@pulumi/pulumi");
  const { RotatingApiKey } = require("keyplane");
  const config = new pulumi.Config();
  const id = config.get("adoptId");
  const app = new RotatingApiKey("app", {
    gracePeriod: "2h",
    rotationTriggers: { run: config.require("run") },
    ...(id && { adopt: { id, key: config.requireSecret("adoptKey") } }),
  });
  exports.key = app.key;`;

let plane: ControlPlane;
let run: StackUnderTest;
let byHand: { id: number; key: string };

const live = async () => (await plane.liveKeys()).map(({ id }) => id).sort();

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  byHand = await plane.state.createKey("made-by-hand");
  run = await StackUnderTest.of(
    plane,
    { "index.js": PROGRAM },
    { config: { run: "1", adoptId: `${byHand.id}` }, secretConfig: { adoptKey: byHand.key } },
  );
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

test("a key that was created by hand is adopted without a POST, and then rotated, passed on and revoked like any other key", async () => {
  expect((await run.run("preview")).stdout).toContain(`adopts key ${byHand.id}, creates none`);
  const adopting = await run.requestsOf(() => run.run("up"));
  expect(new Set(adopting)).toEqual(new Set([LIST]));
  expect(await run.workspace.outputs({ showSecrets: true })).toEqual({ key: byHand.key });
  await run.expectNoSecrets();
  expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
  expect(await run.requestsOf(() => run.runIdle("refresh"))).toEqual([LIST]);

  await run.workspace.setConfig("adoptId", "");
  expect(await run.requestsOf(() => run.runIdle("up"))).toEqual([]);
  expect(JSON.stringify(await run.workspace.exportState())).not.toContain('"adopt"');

  await run.workspace.setConfig("run", "2");
  expect((await run.requestsOf(() => run.run("up"))).sort()).toEqual([LIST, POST]);
  const { key } = (await run.workspace.outputs({ showSecrets: true })) as { key: string };
  expect(key).not.toBe(byHand.key);
  expect(await live()).toHaveLength(2);
  await plane.clock.advance(DAY);
  expect(await run.requestsOf(() => run.run("up"))).toEqual([LIST, DELETE]);
  expect(await live()).not.toContain(byHand.id);
  await run.expectNoSecrets();
  await run.destroy();
});

const adopting = (name: string, other = "") => `
  const adopt = { id: config.require("adoptId"), key: config.requireSecret("adoptKey") };
  ${other}
  new RotatingApiKey("${name}", { adopt });`;

/** Adopts a key, and expects that a command is refused which would adopt it once more. */
async function isAdoptedOnce(frontEnd: FrontEnd, again: (stack: StackUnderTest) => Promise<RunResult>): Promise<void> {
  const options = { config: { adoptId: `${byHand.id}` }, secretConfig: { adoptKey: byHand.key } };
  const stack = await StackUnderTest.create(frontEnd, plane, adopting("one"), options);
  try {
    await stack.up();
    const refused = await again(stack);
    expect(refused.exit).not.toBe(0);
    expect(messagesOf(refused)).toContain("KP-ADOPT");
    expect(await stack.expectLiveIsHeld()).toEqual([`${byHand.id}`]);
    await stack.deploy(adopting("one"));
    await stack.destroy();
  } finally {
    await stack.workspace.remove();
  }
}

test.each(FRONT_ENDS)("a key that another resource of the %s has is not adopted", (frontEnd) =>
  isAdoptedOnce(frontEnd, (stack) => stack.deploy(adopting("two", 'new RotatingApiKey("one");'), { mayFail: true })),
);

describe.skipIf(!ON_CLI)("on the Pulumi CLI (the embedded engine has no --replace)", () => {
  test.each(FRONT_ENDS)("a key of the resource of the %s that is to be replaced is not adopted", (frontEnd) =>
    isAdoptedOnce(frontEnd, (stack) =>
      stack.up({ args: ["--replace", stack.urn("RotatingApiKey", "one")], mayFail: true }),
    ),
  );
});

/** Stands for a resource of another provider that has the key, and revokes it when it is deleted. */
const theirs = (options = "{}") => `
  class Theirs extends pulumi.dynamic.Resource {
    constructor(name, inputs, options) {
      const remove = (id) => {
        const { url, key } = JSON.parse(process.env.THEIRS);
        return fetch(url + "/api_keys/" + id, { method: "DELETE", headers: { authorization: "Bearer " + key } });
      };
      super({ create: async (inputs) => ({ id: inputs.keyId, outs: inputs }), delete: remove }, name, inputs, options);
    }
  }
  new Theirs("theirs", { keyId: config.require("adoptId"), name: "made-by-hand" }, ${options});`;

test.each(FRONT_ENDS)(
  "a key of another provider's resource is adopted by the %s after that has let it go, and not before",
  async (frontEnd) => {
    const adopting = `new RotatingApiKey("app", {
      adopt: { id: config.require("adoptId"), key: config.requireSecret("adoptKey") },
    });`;
    const options = {
      config: { adoptId: `${byHand.id}` },
      secretConfig: { adoptKey: byHand.key },
      env: { THEIRS: JSON.stringify({ url: plane.url, key: plane.apiKey }) },
    };
    const stack = await StackUnderTest.create(frontEnd, plane, theirs(), options);
    try {
      await stack.up();
      const refused = await stack.deploy(adopting, { mayFail: true });
      expect(refused.exit).not.toBe(0);
      expect(messagesOf(refused)).toContain("KP-ADOPT");
      expect(await stack.live()).toEqual([`${byHand.id}`]);
      const urn = `urn:pulumi:dev::proj::pulumi-nodejs:dynamic:Resource::theirs`;
      if (ON_CLI) await stack.workspace.command(["state", "delete", urn, "--yes"]);
      else await stack.deploy(theirs("{ retainOnDelete: true }"));
      await stack.deploy(adopting);
      expect(await stack.expectLiveIsHeld()).toEqual([`${byHand.id}`]);
      await stack.destroy();
    } finally {
      await stack.workspace.remove();
    }
  },
);
