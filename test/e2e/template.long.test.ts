import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startControlPlane } from "keyplane/testing";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { version } from "../../package.json";
import { SETTINGS } from "../../provider/settings/settings";
import { StackUnderTest } from "./stack-under-test";

const folder = join(__dirname, "..", "..", "templates", "typescript");
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");

test("a project from the template deploys a key with the configuration that the template asks for", async () => {
  const plane = await startControlPlane({ clock: { mode: "real" } });
  const files = { "index.ts": textOf("index.ts"), "tsconfig.json": textOf("tsconfig.json") };
  const run = await StackUnderTest.of(plane, files);
  try {
    await run.run("up");
    expect(await run.workspace.outputs()).toEqual({ ciKeyName: expect.stringMatching(/^ci-/), ciKey: "[secret]" });
    await run.runIdle("up");
    await run.destroy();
  } finally {
    await run.workspace.remove();
    await plane.close();
  }
});

test("the template installs this version, and asks for all settings that are needed, for the credential as a secret", () => {
  expect(JSON.parse(textOf("package.json")).dependencies.keyplane).toBe(`^${version}`);
  const { config } = parse(textOf("Pulumi.yaml")).template;
  const needed = Object.entries(SETTINGS).flatMap(([name, { fallback }]) =>
    fallback === undefined ? [`keyplane:${name}`] : [],
  );
  expect(Object.keys(config).sort()).toEqual(needed.sort());
  expect(config["keyplane:apiKey"]).toMatchObject({ secret: true });
  expect(config["keyplane:apiKey"].default).toBeUndefined();
});
