import { describe, expect, it } from "vitest";
import { check, diff, kinds, newRunNotes, noteHolder, type Properties } from "../../../provider/resources";
import { autoName } from "../../../provider/resources/names";
import { Bench, failureOf, OTHER_OWNER, OWNER } from "./harness";
import { DAY, RotatingStack } from "./rotating-stack";

const LIST = "GET /api_keys";

/** A bench whose service has a key made by hand, 40 days old and last used two hours ago. */
async function started() {
  const bench = await Bench.start();
  const adopt = await handmade(bench, "made-by-hand");
  return { bench, adopt };
}

async function handmade(bench: Bench, name: string): Promise<{ id: string; key: string }> {
  const { id, key } = await bench.plane.state.createKey(name);
  await bench.clock.pass(40 * DAY);
  await bench.plane.state.useKey(id, 2 * 3_600_000);
  return { id: String(id), key };
}

/** What `create` says against an adoption, and that it has changed nothing. */
async function refused(bench: Bench, inputs: Properties): Promise<Error & { code?: string }> {
  const before = await bench.liveIds();
  const failure = await failureOf(kinds.RotatingApiKey.create({ owner: OWNER, ...inputs }, bench.context));
  expect(await bench.liveIds()).toEqual(before);
  expect(failure.message).not.toContain((inputs.adopt as { key: string }).key);
  return failure;
}

describe("a key made by hand", () => {
  it("is adopted by two lists and no POST, and costs nothing until it is rotated like any other", async () => {
    const { bench, adopt } = await started();
    const stack = await RotatingStack.start({ adopt, namePrefix: "mine", gracePeriod: "2h" }, bench);
    expect(await bench.requests()).toEqual([LIST, LIST, LIST]);
    expect(stack.outputs).toMatchObject({ keyId: adopt.id, name: "made-by-hand", key: adopt.key });
    expect(await stack.up()).toEqual({ changed: false, reasons: [] });
    const args = { namePrefix: "mine", gracePeriod: "2h" };
    expect(await stack.up({ ...args })).toEqual({ changed: false, reasons: [] });
    expect(await bench.requests(3)).toEqual([]);

    await stack.up({ ...args, rotationTriggers: { run: 1 } });
    await stack.up({ ...args, rotationTriggers: { run: 2 } });
    expect(stack.outputs).toMatchObject({ previousKeyId: adopt.id, previousKey: adopt.key });
    expect(stack.outputs?.name).toMatch(/^mine-/);
    await bench.clock.pass(DAY);
    await stack.up();
    expect(await bench.liveIds()).toEqual([stack.current]);
    expect(stack.warnings).toBe("");
  });

  it("is in no output but as the key, so that the program can drop its secret", async () => {
    const { bench, adopt } = await started();
    const { outputs } = await RotatingStack.start({ adopt }, bench);
    const { key, ...others } = outputs ?? {};
    expect(key).toBe(adopt.key);
    expect(JSON.stringify(others)).not.toContain(adopt.key);
    expect(others.adopt).toBeUndefined();
  });

  it("has its real age, and is rotated by it in the run after the adoption, not in that run", async () => {
    const { bench, adopt } = await started();
    const stack = await RotatingStack.start({ adopt, rotateAfter: "30d" }, bench);
    expect(stack.current).toBe(adopt.id);
    expect(await stack.up()).toMatchObject({ changed: true, reasons: [expect.stringMatching(/40d old$/)] });
    expect(stack.previous).toBe(adopt.id);
  });

  it("is revoked when the resource is deleted, and stays where revokeOnDelete is false", async () => {
    const { bench, adopt } = await started();
    await (await RotatingStack.start({ adopt, revokeOnDelete: false }, bench)).destroy();
    expect(await bench.liveIds()).toEqual([adopt.id]);
    await (await RotatingStack.start({ adopt }, await anew(bench))).destroy();
    expect(await bench.liveIds()).toEqual([]);
  });

  it("is adopted again by the run after a crash, which has lost nothing", async () => {
    const { bench, adopt } = await started();
    await kinds.RotatingApiKey.create({ owner: OWNER, adopt }, bench.context);
    const stack = await RotatingStack.start({ adopt }, await anew(bench));
    expect(stack.current).toBe(adopt.id);
    expect(await bench.liveIds()).toEqual([adopt.id]);
  });

  it("is not revoked by a stack to which the adopting one's state was copied", async () => {
    const { bench, adopt } = await started();
    const stack = await RotatingStack.start({ adopt }, bench);
    stack.bench = bench.beside({ owner: OTHER_OWNER, context: bench.context });
    await stack.up({ rotationTriggers: { run: 1 } });
    await stack.up({ rotationTriggers: { run: 2 } });
    await stack.destroy();
    expect(await bench.liveIds()).toEqual([adopt.id]);
  });

  it("is told from one that is used in the same second", async () => {
    const { bench, adopt } = await started();
    const busy = await bench.plane.state.createKey("busy");
    await bench.plane.state.useKey(busy.id);
    const { outputs } = await RotatingStack.start({ adopt }, bench);
    expect(outputs?.keyId).toBe(adopt.id);
    await bench.plane.state.useKey(busy.id);
    const wrong = { adopt: { id: String(busy.id), key: adopt.key } };
    expect(await refused(await anew(bench), wrong)).toMatchObject({
      code: "KP-ADOPT",
      message: expect.stringContaining(`does not belong to key ${busy.id}`),
    });
  });
});

describe("an adoption is refused", () => {
  it("where the id is not live", async () => {
    const { bench, adopt } = await started();
    const failure = await refused(bench, { adopt: { ...adopt, id: "99" } });
    expect(failure).toMatchObject({ code: "KP-ADOPT" });
    expect(failure.message).toMatch(/^key 99 is not active in this account.* remove adopt to get a new key$/);
  });

  it("where the service does not accept the secret", async () => {
    const { bench, adopt } = await started();
    const failure = await refused(bench, { adopt: { ...adopt, key: "kp_wrong" } });
    expect(failure.message).toMatch(/does not accept the secret in adopt.key/);
    expect(await bench.requests()).toEqual([LIST]);
  });

  it("where id and secret are of two keys, also if one is keyplane's own", async () => {
    const { bench, adopt } = await started();
    const other = await handmade(bench, "another");
    const admin = (await bench.account.keys.list()).find(({ name }) => name === "admin");
    for (const id of [other.id, String(admin?.id)]) {
      const failure = await refused(bench, { adopt: { id, key: adopt.key } });
      expect(failure.message).toContain(`does not belong to key ${id}`);
    }
  });

  it("where it is the key that keyplane authenticates with, without any request", async () => {
    const { bench, adopt } = await started();
    const failure = await refused(bench, { adopt: { ...adopt, key: bench.plane.apiKey } });
    expect(failure).toMatchObject({ code: "KP-OWN-CREDENTIAL", message: expect.stringContaining("keyplane:apiKey") });
    expect(await bench.requests()).toEqual([]);
  });

  it("where this stack has made the key itself", async () => {
    const bench = await Bench.start();
    const failure = await refused(bench, { adopt: await handmade(bench, autoName("ci", OWNER)) });
    expect(failure.message).toMatch(/was made by this stack, not by hand/);
  });

  it("where another resource of the stack holds the key", async () => {
    const { bench, adopt } = await started();
    const stack = await RotatingStack.start({ adopt }, bench);
    bench.context.run.holders.clear();
    noteHolder(kinds.RotatingApiKey, stack.id, stack.outputs ?? {}, bench.context);
    expect((await refused(bench, { adopt })).message).toMatch(/belongs to another resource of this stack/);
  });

  it("where two resources of a program name one key, before anything is made", async () => {
    const { bench, adopt } = await started();
    const checked = (name: string) => {
      const news = { owner: OWNER, adopt, resourceUrn: `urn:pulumi:dev::app::t::${name}` };
      return check(kinds.RotatingApiKey, news, bench.context).failures;
    };
    expect([checked("app"), checked("app")]).toEqual([[], []]);
    const reason = `names key ${adopt.id}, which "app" already adopts. Only one resource can have a key`;
    expect(checked("web")).toEqual([{ property: "adopt.id", reason }]);
  });

  it("where its form is wrong, without the secret in the message", async () => {
    const { bench } = await started();
    for (const adopt of [
      "x",
      {},
      { id: "1" },
      { id: 1, key: "secret" },
      { id: "1", key: "a b" },
      { id: "1", key: "k", at: 1 },
    ]) {
      const { failures } = check(kinds.RotatingApiKey, { owner: OWNER, adopt }, bench.context);
      expect(failures).toEqual([{ property: "adopt", reason: expect.stringMatching(/^must be \{ id, key \}: /) }]);
    }
  });

  it("for an ApiKey, whose replacement would revoke the key it has adopted", async () => {
    const { bench, adopt } = await started();
    const { failures } = check(kinds.ApiKey, { owner: OWNER, adopt }, bench.context);
    expect(failures).toEqual([{ property: "adopt", reason: expect.stringMatching(/^is for RotatingApiKey only/) }]);
  });

  it("for a resource that exists and holds another key, and where it moves with its key", async () => {
    const { bench, adopt } = await started();
    const { outputs = {} } = await RotatingStack.start({ adopt }, bench);
    const asked = (inputs: Properties) => () =>
      diff(
        kinds.RotatingApiKey,
        outputs,
        { owner: bench.identity, ...inputs },
        { now: bench.context.now(), driftOnly: false },
      );
    expect(asked({ adopt: { ...adopt, id: "99" } })).toThrow(/names key 99, but this resource exists already/);
    expect(asked({ adopt, organizationId: "org-1" })).toThrow(/Remove adopt, and the replacement gets a new key/);
    expect(asked({ organizationId: "org-1" })()).toMatchObject({ replaces: ["organizationId"] });
    expect(asked({ adopt })()).toMatchObject({ changes: false });
  });
});

describe("a replacement that adopts the same key again", () => {
  it("keeps it live, in the same run and in the one after a crash", async () => {
    const { bench, adopt } = await started();
    const old = await RotatingStack.start({ adopt }, bench);
    const forced = await anew(bench);
    const successor = await RotatingStack.start({ adopt }, forced);
    noteHolder(kinds.RotatingApiKey, successor.id, successor.outputs ?? {}, forced.context);
    await kinds.RotatingApiKey.delete(old.id, old.outputs ?? {}, forced.context);
    expect(await bench.liveIds()).toEqual([adopt.id]);
    const later = await anew(bench);
    noteHolder(kinds.RotatingApiKey, successor.id, successor.outputs ?? {}, later.context);
    await kinds.RotatingApiKey.delete(old.id, old.outputs ?? {}, later.context);
    expect(await bench.liveIds()).toEqual([adopt.id]);
    await kinds.RotatingApiKey.delete(successor.id, successor.outputs ?? {}, later.context);
    expect(await bench.liveIds()).toEqual([]);
  });
});

/** The same stack in a run of its own. */
async function anew(bench: Bench): Promise<Bench> {
  const { settings, ...told } = bench.context;
  return bench.beside({ context: { ...told, run: newRunNotes(), account: () => bench.account } });
}
