import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FRONT_ENDS, messagesOf, StackUnderTest } from "./stack-under-test";

const page = readFileSync(join(__dirname, "../../docs/leaving.md"), "utf8");

let plane: ControlPlane;
let stack: StackUnderTest;

const program = (option: string, n: number) => `
new ApiKey("ci", { ${option} });
new RotatingApiKey("web", { ${option} rotationTriggers: { n: "${n}" }, gracePeriod: "1h" });\n`;
const KEEP = "revokeOnDelete: false,";

test("the page about leaving shows the commands that these tests run", () => {
  const commands = [...page.matchAll(/```sh\n(.*?)\n```/gs)].map(([, command]) => command?.replace(/ *'.*/, ""));
  expect(commands).toEqual(["pulumi up", "pulumi destroy", "pulumi state delete"]);
  expect(page).toContain("`npx keyplane keys --stack STACK`");
});

describe.each(FRONT_ENDS)("with the %s", (frontEnd) => {
  afterEach(async () => {
    await stack.run.workspace.remove();
    await plane.close();
  });

  beforeEach(async () => {
    plane = await startControlPlane({ clock: { mode: "real" } });
    stack = await StackUnderTest.create(frontEnd, plane, program("", 1));
    await stack.up();
    await stack.setProgram(program("", 2));
    await stack.up();
    expect(await stack.live(), "a key, and the current and the previous one").toHaveLength(3);
  });

  const destroy = () => stack.run.run("destroy", { inProcess: false });

  test("all keys stay live after an up with revokeOnDelete: false and a destroy, which names each of them", async () => {
    const keys = await stack.live();
    await stack.setProgram(program(KEEP, 2));
    expect((await stack.requestsOf(() => stack.up())).filter((request) => !request.startsWith("GET"))).toEqual([]);
    const { deployment } = await stack.run.workspace.exportState();
    const kept = (deployment.resources ?? []).filter(({ outputs }) => outputs?.revokeOnDelete === false);
    expect(kept.map(({ urn }) => urn).sort()).toEqual([stack.urn("ApiKey", "ci"), stack.urn("RotatingApiKey", "web")]);
    const { stdout, stderr } = await destroy();
    expect(await stack.live()).toEqual(keys);
    for (const id of keys) {
      expect(stdout + stderr).toMatch(new RegExp(`key ${id} \\(\\S+\\) stays live, because revokeOnDelete is false`));
    }
    // A new stack of the same name does not take them for its own.
    await stack.setProgram('new ApiKey("ci");\n');
    await stack.up();
    await destroy();
    expect(await stack.live()).toEqual(keys);
  });

  test("a destroy straight after the change revokes all keys, because it uses the state", async () => {
    await stack.setProgram(program(KEEP, 2));
    await destroy();
    expect(await stack.live()).toEqual([]);
  });

  test("a removal in the change that would set the option revokes the key, and a later removal keeps it", async () => {
    const { deployment } = await stack.run.workspace.exportState();
    const ci = deployment.resources?.find(({ urn }) => urn === stack.urn("ApiKey", "ci"))?.id;
    await stack.setProgram(program(KEEP, 2).replace(/new ApiKey.*\n/, ""));
    await stack.up();
    const kept = await stack.live();
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(ci);
    await stack.setProgram("");
    await stack.up();
    await destroy();
    expect(await stack.live()).toEqual(kept);
  });

  test("a key that left the state by `state delete` stays live in later runs, which report it", async () => {
    const urn = stack.urn("ApiKey", "ci");
    const { deployment } = await stack.run.workspace.exportState();
    const ci = deployment.resources?.find((resource) => resource.urn === urn)?.id;
    await stack.run.workspace.command(["state", "delete", urn, "--yes"]);
    await stack.setProgram(program("", 2).replace(/new ApiKey.*\n/, ""));
    const said = messagesOf(await stack.up()) + messagesOf(await destroy());
    expect(await stack.live()).toEqual([ci]);
    expect(said).toMatch(new RegExp(`key ${ci} \\(.*\\) (stays live|has this stack's tag)`));
  });
});
