import { type ControlPlane, drivenTime, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DELETE, POST } from "../routes";
import { hostsOf } from "./hosts";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack.workspace.remove();
  await plane.close();
});

type Receiver = "every process of the run" | "the engine" | "the provider";

const keys = (n: number) => `
  new ApiKey("ci", { rotationTriggers: { n: "${n}" } });
  new RotatingApiKey("app", { rotationTriggers: { n: "${n}" } });
`;

/**
 * Sends a signal in a run while the service holds two answers, and then lets the service answer. Waits until the last
 * provider has ended.
 */
async function signalled(command: "up" | "destroy", route: string, signal: NodeJS.Signals, receiver: Receiver) {
  await plane.clock.advance(600_000);
  await plane.rules.add({ route, hold: "after", count: 2 });
  const { workspace } = stack;
  const { done, kill } = workspace.start(command, { env: await drivenTime(plane) });
  await plane.held.wait(2, 60_000);
  if (receiver === "the engine") kill(signal);
  else for (const pid of receiver === "the provider" ? hostsOf(workspace) : workspace.processes()) send(pid, signal);
  await plane.held.release();
  const result = await done;
  await expect.poll(() => hostsOf(workspace), { timeout: 20_000 }).toEqual([]);
  await workspace.cancel();
  await plane.clock.advance(600_000);
  return result;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

describe.each(FRONT_ENDS)("a signal in a run of the %s", (frontEnd) => {
  test.each<[NodeJS.Signals, Receiver]>([
    ["SIGTERM", "every process of the run"],
    ["SIGTERM", "the engine"],
    ["SIGTERM", "the provider"],
    ["SIGINT", "every process of the run"],
    ["SIGINT", "the provider"],
    ["SIGHUP", "the provider"],
  ])("leaves no key that is not recorded: %s to %s", { timeout: 300_000 }, async (signal, receiver) => {
    stack = await StackUnderTest.create(frontEnd, plane, keys(1));
    for (const n of [1, 2]) {
      await stack.setProgram(keys(n));
      await signalled("up", POST, signal, receiver);
      await stack.expectLiveIsHeld();
      await stack.up();
      await stack.expectLiveIsHeld();
    }
    await signalled("destroy", DELETE, signal, receiver);
    // Of two keys of a resource, one can be revoked already.
    expect(await stack.held()).toEqual(expect.arrayContaining(await stack.live()));
    await stack.run("destroy");
    expect(await stack.live()).toEqual([]);
  });
});
