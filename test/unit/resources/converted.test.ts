import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { deadlineIn } from "../../../provider/keys/lease";
import { membersOf } from "../../../provider/members";
import { failureOf, json, StackHarness } from "./harness";
import { RotatingStack } from "./rotating-stack";

describe("the state of a resource of the other kind, which an alias or an edited state can pass", () => {
  it("is refused by all verbs of an ApiKey if it is that of a RotatingApiKey, whose other keys it would forget", async () => {
    const stack = await RotatingStack.start({ rotationTriggers: { n: 1 } });
    await stack.up({ rotationTriggers: { n: 2 } });
    const { harness, id, outputs = {} } = stack;
    const live = await harness.liveIds();
    const { ApiKey } = resourceTypes;
    const verbs: (() => Promise<unknown>)[] = [
      async () => ApiKey.due?.(outputs, {}, { now: 0, hasLedger: true }),
      () => harness.readKey({ id, outputs }),
      () => harness.updateKey({ id, outputs }),
      () => harness.deleteKey({ id, outputs }),
    ];
    for (const verb of verbs) {
      expect(await failureOf(Promise.resolve().then(verb))).toMatchObject({ code: "KP-INPUT" });
    }
    expect(await harness.liveIds()).toEqual(live);
  });

  it("of an ApiKey with an exact name has a key that a RotatingApiKey can revoke later, as it could an adopted one", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey({ name: "exact" });
    const inputs = { owner: harness.identity };
    const { RotatingApiKey } = resourceTypes;
    const taken = await RotatingApiKey.update(id, outputs, inputs, harness.context);
    expect(taken.adopted).toEqual({ id, name: "exact", by: harness.tag });
    const rotated = await RotatingApiKey.update(id, taken, { ...inputs, revokeNow: id }, harness.context);
    await RotatingApiKey.delete(id, rotated, harness.context);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("of an ApiKey that a refresh has found gone gets another key", async () => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey();
    await harness.plane.state.revokeKey(Number(id));
    const inputs = { owner: harness.identity };
    const gone = json({ ...outputs, gone: true });
    const taken = await resourceTypes.RotatingApiKey.update(id, gone, inputs, harness.context);
    expect(await harness.liveIds()).toEqual([membersOf(taken).keyId]);
  });

  it.each([
    ["keeps its key with the same one", "30d", 1],
    ["rotates without one, because the name of its key has a deadline", undefined, 2],
  ])("of an ApiKey with maxAge %s", async (_, maxAge, live) => {
    const harness = await StackHarness.start();
    const { id, outputs } = await harness.createKey({ maxAge: "30d" });
    const inputs = { owner: harness.identity, ...(maxAge !== undefined && { maxAge }) };
    const taken = await resourceTypes.RotatingApiKey.update(id, outputs, inputs, harness.context);
    expect(await harness.liveIds()).toHaveLength(live);
    expect(deadlineIn(String(membersOf(taken).name)) !== undefined).toBe(maxAge !== undefined);
  });

  it("of an ApiKey that a former version turned from a RotatingApiKey has an id that is not the key's", async () => {
    const harness = await StackHarness.start();
    const { outputs } = await harness.createKey();
    const id = "6151228e-223b-4763-be86-aa5895a21c9d";
    expect(await harness.readKey({ id, outputs })).toEqual(outputs);
    await harness.deleteKey({ id, outputs });
    expect(await harness.liveIds()).toEqual([]);
  });
});
