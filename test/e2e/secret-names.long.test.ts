import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pluginForPreloads } from "../plugin-folder";
import { DAY } from "../times";
import { ON_CLI, StackUnderTest } from "./stack-under-test";

const PREFIX = "hush-prefix";

const NPM = 'const { ApiKey, RotatingApiKey } = require("keyplane");';
const PLUGIN = `
require("keyplane");
class Key extends pulumi.CustomResource {
  constructor(kind, name, args) {
    super("keyplane:index:" + kind, name, { key: undefined, name: undefined, ...args });
  }
}
class ApiKey extends Key {
  constructor(name, args) { super("ApiKey", name, args); }
}
class RotatingApiKey extends Key {
  constructor(name, args) { super("RotatingApiKey", name, args); }
}`;

const programWith = (frontEnd: string) => `
const pulumi = require("@pulumi/pulumi");
${frontEnd}
const config = new pulumi.Config();
const namePrefix = config.requireSecret("prefix");
const rotationTriggers = { at: config.require("at") };
const ci = new ApiKey("ci", { namePrefix, rotationTriggers });
new ApiKey("exact", { name: pulumi.interpolate\`\${namePrefix}-exact\` });
new RotatingApiKey("app", { namePrefix, rotationTriggers });
exports.name = ci.name;
`;

let plane: ControlPlane;
let run: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await run.workspace.remove();
  await plane.close();
});

/** The embedded engine passes no marked secrets to a plugin. */
const FRONT_ENDS: readonly (readonly [string, string, object])[] = [
  ["npm package", NPM, {}],
  ...(ON_CLI ? ([["plugin", PLUGIN, { plugins: { keyplane: pluginForPreloads() } }]] as const) : []),
];

test.each(FRONT_ENDS)(
  "names that are made from secrets are in no state of the %s in clear",
  async (_, frontEnd, options) => {
    run = await StackUnderTest.of(plane, { "index.js": programWith(frontEnd) }, { config: { at: "1" }, ...options });
    await run.workspace.setConfig("prefix", PREFIX, { secret: true });
    const inClear = () => searchSecrets({ prefix: PREFIX }, { paths: [run.workspace.directory], texts: {} });
    for (const at of ["1", "2"]) {
      await run.workspace.setConfig("at", at);
      await run.run("up");
      expect(await inClear()).toEqual([]);
    }
    expect((await plane.liveKeys()).filter(({ name }) => name.startsWith(PREFIX))).toHaveLength(4);
    expect(await run.workspace.outputs()).toEqual({ name: "[secret]" });
    await run.run("refresh");
    await plane.clock.advance(2 * DAY);
    await run.run("up");
    expect(await inClear()).toEqual([]);
    await run.runIdle("up");
    await run.destroy();
    expect(await plane.liveKeys()).toEqual([]);
  },
  300_000,
);
