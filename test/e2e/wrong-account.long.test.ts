import { type ControlPlane, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, POST } from "../routes";
import { FRONT_ENDS, messagesOf, StackUnderTest } from "./stack-under-test";

let home: ControlPlane;
let away: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  const open = () => startControlPlane({ clock: { mode: "real" } });
  [home, away] = await Promise.all([open(), open()]);
});

afterEach(async () => {
  await stack.workspace.remove();
  await Promise.all([home.close(), away.close()]);
});

async function connect({ url, apiKey }: Pick<ControlPlane, "url" | "apiKey">): Promise<void> {
  await stack.workspace.setConfig("keyplane:baseUrl", url);
  await stack.workspace.setConfig("keyplane:apiKey", apiKey, { secret: true });
}

const program = (n: number) => `
  new ApiKey("ci", { rotationTriggers: { n: "${n}" } });
  new RotatingApiKey("app", { rotationTriggers: { n: "${n}" } });`;

describe.each(FRONT_ENDS)("a stack of the %s", (frontEnd) => {
  test("in another account, nothing is created, revoked or forgotten, and at home the stack goes on", async () => {
    stack = await StackUnderTest.create(frontEnd, home, program(1));
    await stack.up();
    const keys = await stack.live();
    // With the same ids and names as at home, as if the same program were deployed to both.
    for (const { name } of await home.liveKeys()) await away.state.createKey(name);
    await connect(away);
    await stack.setProgram(program(2));
    for (const [command, args] of [
      ["up", []],
      ["up", ["--refresh"]],
      ["destroy", ["--refresh"]],
    ] as const) {
      const refused = await stack.run(command, { args, mayFail: true });
      expect(refused.exit).not.toBe(0);
      expect(messagesOf(refused)).toContain("KP-WRONG-ACCOUNT");
      expect(await stack.expectLiveIsHeld()).toEqual(keys);
    }
    expect((await away.log()).flatMap(({ effects }) => effects)).toEqual([]);
    await connect(home);
    await stack.up();
    expect(await stack.expectLiveIsHeld()).toHaveLength(3);
    await stack.destroy();
  });

  test("under another credential of the same account, there is no difference, and a key that is gone is replaced", async () => {
    stack = await StackUnderTest.create(frontEnd, home, program(1));
    await stack.up();
    const { key, id } = await home.state.createKey("the-next-admin");
    await connect({ url: home.url, apiKey: key });
    expect(await stack.requestsOf(() => stack.runIdle("up"))).toEqual([]);
    expect(await stack.countsOf(() => stack.deploy(program(2)))).toMatchObject({ [POST]: 2, [DELETE]: 1 });
    const [gone] = await stack.held();
    await home.state.revokeKey(gone ?? "");
    await stack.up({ args: ["--refresh"] });
    expect((await stack.live()).filter((each) => each !== String(id))).toEqual(await stack.held());
    await stack.run("destroy");
    expect(await stack.live()).toEqual([String(id)]);
  });
});
