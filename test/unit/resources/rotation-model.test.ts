import fc from "fast-check";
import { expect, it } from "vitest";
import type { Rule } from "../../../testing/control-plane";
import { StackHarness } from "./harness";
import { DAY, HOUR, RotatingStack } from "./rotating-stack";

type Command = (stack: RotatingStack, world: World) => Promise<unknown>;

/** What happened outside the stack and through its program. */
interface World {
  trigger: number;
  /** The ids of keys that somebody else revoked or that `revokeNow` named. */
  readonly givenUp: Set<string>;
  readonly stranger: string;
  /** How long each key that consumers received must work, in milliseconds since 1970. */
  readonly promised: Map<string, number>;
}

const inputsOf = ({ trigger }: World, more: object = {}) => ({
  rotationTriggers: { trigger },
  rotateAfter: "10d",
  ...more,
});

/** An `up` may fail, for example because of a fault. The invariants are checked afterwards in any case. */
const tried = (up: Promise<unknown>) => up.catch((error: Error) => error);

const fault = (rule: Rule): Command => {
  return (stack) => stack.harness.plane.rules.add(rule);
};

const commands: Record<string, Command> = {
  up: (stack, world) => tried(stack.up(inputsOf(world))),
  trigger: async (_stack, world) => {
    world.trigger += 1;
  },
  crashedUp: (stack, world) => tried(stack.crashedUp(inputsOf(world))),
  failedUp: (stack, world) => tried(stack.failedUp(inputsOf(world))),
  verifiedUp: (stack, world) => tried(stack.up(inputsOf(world, { verify: true }))),
  refresh: (stack) => tried(stack.refresh()),
  hours: (stack) => stack.harness.clock.pass(7 * HOUR),
  days: (stack) => stack.harness.clock.pass(3 * DAY),
  usePrevious: (stack) => tried(stack.harness.plane.state.useKey(stack.previous || stack.current)),
  loseCurrent: (stack, world) => {
    world.givenUp.add(stack.current);
    return tried(stack.harness.plane.state.revokeKey(stack.current));
  },
  compromised: (stack, world) => {
    world.givenUp.add(stack.current);
    return tried(stack.up(inputsOf(world, { revokeNow: stack.current })));
  },
  loseAnswer: fault({ route: "POST /api_keys", fault: "reset", commit: "before" }),
  losePost: fault({ route: "POST /api_keys", fault: "reset", commit: "never" }),
  refusePost: fault({ route: "POST /api_keys", status: 400 }),
  refuseDelete: fault({ route: "DELETE /api_keys/{key_id}", status: 400 }),
  loseDelete: fault({ route: "DELETE /api_keys/{key_id}", fault: "close", commit: "before" }),
  refuseTrial: fault({ route: "GET /projects", status: 401, count: 5 }),
};

/** Checks that the keys of consumers work as long as they must. */
async function mustHold(stack: RotatingStack, world: World): Promise<void> {
  const live = await stack.harness.liveIds();
  expect(live).toContain(world.stranger);
  const now = stack.harness.context.now();
  for (const [id, until] of world.promised) {
    if (until > now && !world.givenUp.has(id)) expect(live).toContain(id);
  }
  const { outputs, current, previous } = stack;
  if (outputs === undefined) return world.promised.clear();
  if (outputs.pending === undefined && outputs.keyId !== undefined) {
    world.promised.set(current, Number.POSITIVE_INFINITY);
  }
  if (previous !== "") world.promised.set(previous, Date.parse(String(outputs.retireAfter)));
  // If the current key is known to be gone, consumers have only the previous key.
  if (outputs.currentGone && previous !== "" && !world.givenUp.has(previous)) expect(live).toContain(previous);
}

it("a rotating key keeps its consumers working through any events, and ends with exactly its keys live", async () => {
  const often = ["trigger", "trigger", "trigger", "up", "up", "up", "up", "crashedUp", "hours", "days"];
  const names = fc.array(fc.constantFrom(...Object.keys(commands), ...often), { minLength: 4, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(names, async (story) => {
      const harness = await StackHarness.start();
      const stranger = String((await harness.plane.state.createKey("a stranger's")).id);
      const world: World = { trigger: 1, givenUp: new Set(), stranger, promised: new Map() };
      const stack = await RotatingStack.start(inputsOf(world), harness);
      for (const name of story) {
        await commands[name]?.(stack, world);
        await mustHold(stack, world);
      }

      await harness.plane.rules.clear();
      await stack.refresh();
      await mustHold(stack, world);
      world.trigger += 1;
      // The next rotation that does not wait for a previous key sweeps what a crash left.
      await stack.up(inputsOf(world));
      await mustHold(stack, world);
      await harness.clock.pass(8 * DAY);
      await stack.up();
      await mustHold(stack, world);
      const used = (await harness.plane.liveKeys())
        .filter((key) => key.lastUsedAt !== null)
        .map((key) => String(key.id));
      const held = [stranger, stack.current, stack.previous].filter((id) => id !== "");
      // A key that was tried before a crash counts as used, so it is reported and never revoked.
      expect((await harness.liveIds()).filter((id) => !used.includes(id) || held.includes(id))).toEqual(held.sort());
      await stack.destroy();
      const left = (await harness.liveIds()).filter((id) => !used.includes(id));
      expect(left).toEqual([stranger]);
    }),
    { numRuns: 40 },
  );
}, 120_000);
