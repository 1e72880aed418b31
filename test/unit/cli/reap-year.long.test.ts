import { expect, test } from "vitest";
import { deadlineIn } from "../../../provider/keys/lease";
import type { Properties } from "../../../provider/schema/outputs";
import type { ControlPlane, Rule } from "../../../testing/control-plane";
import { generatedName } from "../../generated-name";
import { StackHarness } from "../resources/harness";
import { DAY, RotatingStack } from "../resources/rotating-stack";
import { envOf, run, start } from "./support";

/** How often `keyplane reap` runs, in days. */
const PERIOD = 5;

const MINUTE = 60_000;

/** A stack that is run at some days of the year, with a program for each. */
interface Story {
  readonly runsOn: (day: number) => boolean;
  readonly inputs: Properties;
  /** What happens on a day instead of an `up`. */
  readonly events?: Readonly<Record<number, (stack: RotatingStack) => Promise<unknown>>>;
}

const loseState = async (stack: RotatingStack): Promise<void> => {
  stack.outputs = undefined;
  stack.ledger = undefined;
};

const stories: Readonly<Record<string, Story>> = {
  "run every day": { runsOn: () => true, inputs: { maxAge: "30d" } },
  "run every week, with a grace of its own": {
    runsOn: (day) => day % 7 === 0,
    inputs: { maxAge: "60d", rotateAfter: "30d", gracePeriod: "5d" },
  },
  "run by nobody after 100 days": { runsOn: (day) => day < 100, inputs: { maxAge: "30d" } },
  "without its state after 150 days": { runsOn: () => true, inputs: { maxAge: "45d" }, events: { 150: loseState } },
  "killed while it rotates, and then run by nobody": {
    runsOn: (day) => day < 30,
    inputs: { maxAge: "14d", rotationTriggers: { run: 1 } },
    events: { 29: (stack) => stack.crashedUp({ maxAge: "14d", rotationTriggers: { run: 2 } }) },
  },
  "without its state and run by nobody": {
    runsOn: (day) => day < 40,
    inputs: { maxAge: "10d" },
    events: { 40: loseState },
  },
};

/** Where `reap` is killed in turn: before its first revocation, in it, and after it. */
const HOLDS: readonly Rule[] = [
  { route: "GET /api_keys", hold: "after" },
  { route: "DELETE /api_keys/{key_id}", hold: "before" },
  { route: "DELETE /api_keys/{key_id}", hold: "after" },
];

/** Kills a run of `reap`, unless no deadline has passed. */
async function killReap(plane: ControlPlane, hold = HOLDS[0] as Rule): Promise<boolean> {
  const now = (await plane.clock.read()).timeline;
  if ((await plane.liveKeys()).every(({ name }) => (deadlineIn(name) ?? Number.POSITIVE_INFINITY) > now)) return false;
  await plane.rules.add(hold);
  const { child, done } = start(["reap", "--yes"], { env: envOf(plane) });
  await plane.held.wait(1, 30_000);
  child.kill("SIGKILL");
  await done;
  await plane.held.drop();
  return true;
}

/** A stack of another owner in the account. */
function ownerOf(at: number): string {
  return `3b241101-e2bb-4255-8caf-${String(at).padStart(12, "0")}`;
}

test("in a year of runs, kills and lost states, no key outlives its deadline by more than a period of reap", async () => {
  const first = await StackHarness.start();
  const { plane, clock } = first;
  const others = ["by-hand", generatedName("ci", ownerOf(99)), "deploy-exp20200101t0000zabcd-abcdefgh-ijklmnop"];
  const untouched = await Promise.all(others.map(async (name) => String((await plane.state.createKey(name)).id)));
  const stacks = await Promise.all(
    Object.values(stories).map(async (story, at) => {
      const harness = first.beside({ owner: ownerOf(at) });
      return { story, stack: await RotatingStack.start(story.inputs, harness) };
    }),
  );
  let [reaped, kills] = [0, 0];
  for (let day = 1; day <= 365; day++) {
    await clock.pass(DAY);
    for (const { story, stack } of stacks) {
      const event = story.events?.[day];
      if (event !== undefined) await event(stack);
      else if (story.runsOn(day)) await stack.up();
    }
    if (day % PERIOD !== 0) continue;
    if (await killReap(plane, HOLDS[kills % 3])) kills += 1;
    const { code, stdout, stderr } = await run(["reap", "--yes", "--json"], { env: envOf(plane) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    reaped += JSON.parse(stdout).revoked.length;
    const now = (await plane.clock.read()).timeline;
    const live = await plane.liveKeys();
    for (const { name } of live) expect(deadlineIn(name) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
    // Whoever is run keeps its current key.
    const ids = live.map(({ id }) => String(id));
    const running = stacks.filter(({ story, stack }) => story.runsOn(day) && stack.outputs !== undefined);
    for (const { stack } of running) expect(ids).toContain(stack.current);
    expect(ids).toEqual(expect.arrayContaining(untouched));
  }
  // Each revocation of a key that has a deadline and no state was one of reap. A third of the kills came after one.
  expect(kills).toBeGreaterThanOrEqual(4);
  expect(reaped).toBeGreaterThanOrEqual(kills - Math.ceil(kills / 3));
  const left = (await plane.liveKeys()).map(({ id, name }) => ({ id: String(id), name }));
  const held = stacks.slice(0, 4).flatMap(({ stack }) => [stack.current, stack.previous]);
  expect(left.filter(({ id }) => !untouched.includes(id) && !held.includes(id))).toEqual([]);
  // The deadline is in whole minutes, so that no key lives longer than its program says.
  for (const { createdAt, name } of await plane.liveKeys()) {
    const deadline = deadlineIn(name);
    if (deadline !== undefined) expect(deadline - Date.parse(createdAt)).toBeLessThanOrEqual(60 * DAY + MINUTE);
  }
}, 600_000);
