import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isKeyType } from "keyplane";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { revealed } from "../../testing/engine/state/property";
import { type AnalyzedResource, PolicyPackUnderTest } from "./policy-pack";
import { examples, FRONT_ENDS, type FrontEnd, optionsFor, SDK, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let pack: PolicyPackUnderTest;

beforeAll(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
  pack = await PolicyPackUnderTest.start(join(examples, "policy"));
});

afterAll(async () => {
  await pack.stop();
  await plane.close();
});

/** The resources of a deployed program, with their secrets marked as the engine marks them. */
async function deployed(frontEnd: FrontEnd, program: Record<string, string>): Promise<AnalyzedResource[]> {
  const files = Object.entries(program).map(([name, text]) => [
    name,
    text.replace('"keyplane"', `"${SDK[frontEnd].module}"`),
  ]);
  const example = await StackUnderTest.of(plane, Object.fromEntries(files), optionsFor(frontEnd));
  try {
    await example.run("up");
    const { deployment } = await example.workspace.exportState({ showSecrets: true });
    return [...(deployment.resources ?? [])];
  } finally {
    await example.workspace.remove();
  }
}

async function judge(resources: readonly AnalyzedResource[]): Promise<string[]> {
  const each = await Promise.all(resources.map((resource) => pack.analyze(resource)));
  return [...each.flat(), ...(await pack.analyzeStack(resources))];
}

/** The files of the quickstart. */
async function quickstart(): Promise<Record<string, string>> {
  const names = ["index.ts", "deployment.ts", "tsconfig.json"];
  const texts = names.map((name) => readFile(join(examples, "quickstart", name), "utf8"));
  return Object.fromEntries((await Promise.all(texts)).map((text, at) => [names[at], text]));
}

test.each(FRONT_ENDS)(
  "policy: the quickstart with the %s, which passes a key on and exports one as a secret, is accepted",
  async (frontEnd) => {
    const resources = await deployed(frontEnd, await quickstart());
    expect(resources.filter(({ type }) => isKeyType(type))).toHaveLength(2);
    expect(await judge(resources)).toEqual([]);
  },
);

test.each(FRONT_ENDS)(
  "policy: keys of the %s without rotation and in plain text are refused, and those that outlive their resource get a warning",
  async (frontEnd) => {
    const resources = await deployed(frontEnd, {
      "index.js": `
      const { ApiKey, RotatingApiKey } = require("keyplane");
      const eternal = new ApiKey("eternal", { rotationTriggers: {} });
      const kept = new RotatingApiKey("kept", { rotateAfter: "30d", revokeOnDelete: false });
      exports.key = eternal.key;
      exports.urls = [kept.key.apply((key) => "https://" + key + "@host")];
    `,
    });
    const violations = await judge(resources);
    // A state has its resources in the order in which they were ready.
    expect(violations.sort()).toEqual([
      expect.stringMatching(/^keys-are-revoked \(advisory\): This key stays live/),
      expect.stringMatching(/^keys-are-rotated \(mandatory\): This key is never rotated\. Set rotateAfter/),
    ]);

    // These are the outputs after `unsecret`. The workspace itself would refuse to deploy them.
    const inClear = resources.map((resource) => {
      const { key = null, urls = null } = resource.outputs ?? {};
      return resource.type === "pulumi:pulumi:Stack"
        ? { ...resource, outputs: { key, urls: revealed(urls) } }
        : resource;
    });
    expect((await judge(inClear)).sort()).toEqual([
      ...violations,
      "secrets-stay-secret (mandatory): `urls.0` contains a key in plain text. Keep it an output, or mark it with pulumi.secret().",
    ]);
  },
);

test.each(["plugin"] as const)("policy: unknown values of the %s do not stop a preview", async (frontEnd) => {
  const type = `${SDK[frontEnd].type}:ApiKey`;
  const urn = `urn:pulumi:dev::proj::${type}::app`;
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const planned = { urn, type, inputs: { rotateAfter: unknown }, outputs: { key: unknown } };
  expect(await judge([planned])).toEqual([
    expect.stringMatching(/^keys-are-rotated \(advisory\): .*can't be known during preview/),
    expect.stringMatching(/^secrets-stay-secret \(advisory\): .*can't be known during preview/),
  ]);
});
