import { describe, expect, it, test } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import type { Properties } from "../../../provider/schema/outputs";
import type { Rule } from "../../../testing/control-plane";
import { deliveredLongAgo, failureOf, type Made, previousOf, StackHarness } from "./harness";

// The service can be wrong, or can be another server. Even then only keys with the expected names are revoked, no key is
// lost, and no secret becomes readable.

const CREATE = "POST /api_keys";
const LIST = "GET /api_keys";

/** The plain-text values of a state, and all messages. */
function shown(harness: StackHarness, { outputs, notReady }: Made): string {
  const { key, previousKey, ...clear } = outputs;
  return JSON.stringify([clear, notReady, harness.told]);
}

/** The service's list with a change. */
async function listed(
  harness: StackHarness,
  change: (key: Properties) => Properties | undefined,
): Promise<Omit<Rule, "route">> {
  const answer = await fetch(`${harness.plane.url}/api_keys`, {
    headers: { authorization: `Bearer ${harness.plane.apiKey}` },
  });
  const keys = (await answer.json()) as readonly Properties[];
  return { status: 200, body: keys.map(change).filter((key) => key !== undefined) };
}

describe("a creation that is answered", () => {
  it("with somebody else's id and no secret revokes the listed key with the name, and not the other key", async () => {
    const harness = await StackHarness.start();
    const stranger = await harness.plane.state.createKey("deploy-bot");
    await harness.plane.rules.add({ route: CREATE, patch: { id: stranger.id }, omit: ["key"] });
    const { id } = await harness.createKey();
    expect(await harness.liveIds()).toEqual([`${stranger.id}`, id].sort());
    expect(await harness.requests()).toEqual([CREATE, LIST, "DELETE /api_keys/{key_id}", CREATE]);
  });

  describe.each(["a stranger", "keyplane's own credential", "another key of the stack"])(
    "with the id of %s",
    (whose) => {
      async function start(): Promise<{ harness: StackHarness; other: Made; made: Made; ids: string[] }> {
        const harness = await StackHarness.start();
        const own = (await harness.account.keys.list())[0]?.id;
        const other = await harness.createKey();
        const stranger = await harness.plane.state.createKey("deploy-bot");
        const id = { "a stranger": `${stranger.id}`, "another key of the stack": other.id }[whose] ?? own;
        await harness.plane.rules.add({ route: CREATE, patch: { id: Number(id) } });
        const made = await harness.createKey();
        const ids = (await harness.plane.liveKeys()).map((key) => String(key.id)).sort();
        return { harness, other, made, ids };
      }
      const live = async (harness: StackHarness) =>
        (await harness.plane.liveKeys()).map((key) => String(key.id)).sort();

      it("is reported without a listed or recorded name of 15 000 characters, or with invisible ones", async () => {
        const { harness, made } = await start();
        const name = `\u202e${"x".repeat(15_000)}`;
        const created_at = "2026-01-01T00:00:00Z";
        const item = { id: Number(made.id), name, created_at, last_used_at: created_at, last_used_from_addr: "" };
        await harness.plane.rules.add({ route: "GET /api_keys", status: 200, body: [item], count: null });
        const renamed = { ...made, outputs: { ...made.outputs, name: `y${name}` } };
        const { message } = await failureOf(harness.readKey(renamed));
        expect(message).toMatch(/as x+…, but this stack recorded it as y x+…\. /);
        expect(message.length).toBeLessThan(700);
      });

      it("is detected by the names in a list, so that a refresh or a destroy touches neither key", async () => {
        const { harness, made, ids } = await start();
        for (const verb of [() => harness.readKey(made), () => harness.deleteKey(made)]) {
          expect(await failureOf(verb())).toMatchObject({ code: "KP-ID-MISMATCH" });
        }
        expect(await live(harness)).toEqual(ids);
      });

      it("loses neither key in the sweep at the end of the run", async () => {
        const { harness, other, made, ids } = await start();
        harness.context.run.heldNames.add(String(made.outputs.name));
        await harness.sweep([other.id, made.id], {});
        expect(await live(harness)).toEqual(ids);
        expect(harness.told.warn.join()).toContain("recorded the key of that name under another id");
      });
    },
  );

  it.each<[string, Omit<Rule, "route">]>([
    [
      "no time, and a date beyond the year 9999",
      { omit: ["created_at"], headers: { Date: "Fri, 31 Dec 99999 23:59:59 GMT" } },
    ],
    ["no time, and an invalid date", { omit: ["created_at"], headers: { Date: "soon" } }],
    ["an invalid time", { patch: { created_at: "+275760-09-13T00:00:00Z" } }],
    ["a last moment of the year 9999 elsewhere", { patch: { created_at: "9999-12-31T23:59:59-23:59" } }],
    ["invalid operations", { patch: { operations: [null, 7, {}, { id: "x" }] } }],
    ["a name that is a number", { patch: { name: 7 } }],
    ["a creator that is a list", { patch: { created_by: [[[]]] } }],
  ])("with %s is still recorded", async (_, rule) => {
    for (const kind of [resourceTypes.ApiKey, resourceTypes.RotatingApiKey]) {
      const harness = await StackHarness.start();
      await harness.plane.rules.add({ route: CREATE, ...rule });
      const { id, outputs } = await kind.create({ owner: harness.identity }, harness.context);
      expect(await harness.liveIds()).toEqual([String(outputs.keyId ?? id)]);
      expect(Date.parse(String(outputs.createdAt))).not.toBeNaN();
    }
  });

  it.each(["Fri, 31 Dec 99999 23:59:59 GMT", "Sat, 13 Sep 275760 00:00:00 GMT"])(
    "with the date %s and no time records every key, even if its age matters",
    async (date) => {
      for (const kind of [resourceTypes.ApiKey, resourceTypes.RotatingApiKey]) {
        const harness = await StackHarness.start();
        await harness.plane.rules.add({ route: CREATE, omit: ["created_at"], headers: { Date: date } });
        const inputs = { owner: harness.identity, rotateAfter: "30d", gracePeriod: "1h" };
        const { id, outputs } = await kind.create(inputs, harness.context);
        expect(await harness.liveIds()).toEqual([String(outputs.keyId ?? id)]);
        expect(outputs.createdAt).toMatch(/^\d{4}-/);
      }
    },
  );

  it.each(["name", "created_by", "id"])(
    "with the new secret as its %s puts the secret into no state and no message",
    async (field) => {
      const harness = await StackHarness.start();
      const key = field === "id" ? "1234567890123" : `kp_live_echo_${field}_7Hq2xVn4`;
      await harness.plane.rules.add({ route: CREATE, patch: { key, [field]: key } });
      const made = await harness.createKey();
      expect(shown(harness, made)).not.toContain(key);
    },
  );

  it("with the new secret in an operation puts the secret into no state and no message", async () => {
    const harness = await StackHarness.start();
    const key = "kp-echo-operation-7hq2xvn4";
    const { id: projectId } = await harness.plane.state.createProject();
    const times = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
    const id = "5f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const plain = { id, project_id: projectId, action: "start_compute", status: "failed", ...times };
    const operations = [
      { ...plain, action: `start ${key}` },
      { ...plain, status: key.toUpperCase() },
      { ...plain, project_id: key },
      { ...plain, branch_id: Array.from(key).join(" ") },
    ];
    await harness.plane.rules.add({ route: CREATE, patch: { key, operations } });
    const made = await harness.createKey({ operationTimeout: "1s" });
    expect(shown(harness, made).toLowerCase().replaceAll(" ", "")).not.toContain(key);
  });
});

test("the id of keyplane's own credential is not revoked under another secret after the run has seen it", async () => {
  const harness = await StackHarness.start();
  const own = await harness.createKey();
  const later = harness.beside({ apiKey: String(own.outputs.key) });
  // The list is also wrong and shows the id under the name in the state.
  const lie = { ...own, outputs: { ...own.outputs, key: "kp_live_another_secret" } };
  expect(await failureOf(later.deleteKey(own))).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
  expect(await failureOf(later.deleteKey(lie))).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
  const news = { owner: later.identity, owned: [], previous: previousOf(own.id, "1", true) };
  const deliveries = deliveredLongAgo(own.id, "1");
  expect(await later.endRun(news, { ...news, deliveries })).toMatchObject({ deliveries });
  const compromised = { ...news, compromised: [own.id] };
  expect(await failureOf(later.endRun(compromised, news))).toMatchObject({ code: "KP-REVOKE" });
  expect(await harness.liveIds()).toEqual([own.id]);
});

describe("a list that lacks a live key", () => {
  it("does not prevent a deletion or revokeNow from revoking a key, but is no proof that nobody uses a retired one", async () => {
    const harness = await StackHarness.start();
    const keys = [await harness.createKey(), await harness.createKey(), await harness.createKey()];
    const [one, other, third] = keys as [Made, Made, Made];
    const owned = keys.map(({ id }) => id);
    const before = { ...(await harness.sweep(owned)), deliveries: deliveredLongAgo(other.id, "1") };
    await harness.clock.pass(120_000);
    const isHidden = (key: Properties) => owned.includes(String(key.id));
    const list = await listed(harness, (key) => (isHidden(key) ? undefined : key));
    await harness.plane.rules.add({ route: LIST, count: null, ...list });
    const later = harness.beside({});
    await later.deleteKey(one);
    const previous = previousOf(other.id, "1", true);
    const ended = await later.endRun({ owner: harness.identity, owned: [], compromised: [third.id], previous }, before);
    expect(await harness.liveIds()).toEqual([other.id]);
    expect(later.told.warn.join("\n")).toContain(`npx keyplane revoke ${other.id}`);
    expect(ended).toMatchObject({ deliveries: { [other.id]: { isRevoked: "gone" } } });
  });

  it("does not make a refresh forget a key that works", async () => {
    const harness = await StackHarness.start();
    const key = await harness.createKey();
    await harness.clock.pass(120_000);
    const list = await listed(harness, (each) => (String(each.id) === key.id ? undefined : each));
    await harness.plane.rules.add({ route: LIST, ...list });
    expect(await failureOf(harness.beside({}).readKey(key))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("does not cause the revocation of a wrong id if another list shows its name", async () => {
    const harness = await StackHarness.start();
    const stranger = await harness.plane.state.createKey("deploy-bot");
    await harness.plane.rules.add({ route: CREATE, patch: { id: stranger.id } });
    const made = await harness.createKey();
    await harness.clock.pass(120_000);
    const list = await listed(harness, (each) => (each.id === stranger.id ? undefined : each));
    await harness.plane.rules.add({ route: LIST, ...list });
    expect(await failureOf(harness.beside({}).deleteKey(made))).toMatchObject({ code: "KP-ID-MISMATCH" });
    expect(await harness.liveIds()).toContain(`${stranger.id}`);
  });
});

describe("an organization's empty list", () => {
  const ORGANIZATION = "org-local-1";
  const LIST_THERE = "GET /organizations/{org_id}/api_keys";

  async function start(): Promise<{ harness: StackHarness; made: Made }> {
    const harness: StackHarness = await StackHarness.start({ keys: () => harness.account.keysOf(ORGANIZATION) });
    const made = await harness.createKey({ organizationId: ORGANIZATION });
    await harness.clock.pass(120_000);
    await harness.plane.rules.add({ route: LIST_THERE, status: 200, body: [], count: null });
    return { harness, made };
  }

  it("does not prove that a key is gone, so that a working key is not forgotten", async () => {
    const { harness, made } = await start();
    expect(await failureOf(harness.readKey(made))).toMatchObject({ code: "KP-ANSWER" });
    const inputs = { owner: harness.identity, organizationId: ORGANIZATION };
    const { id, outputs } = await resourceTypes.RotatingApiKey.create(inputs, harness.context);
    await harness.clock.pass(120_000);
    expect(await failureOf(resourceTypes.RotatingApiKey.read(id, outputs, harness.context))).toMatchObject({
      code: "KP-ANSWER",
    });
  });

  it("proves that a key is gone if the service refuses that key", async () => {
    const { harness, made } = await start();
    await harness.plane.state.revokeKey(Number(made.id));
    expect(await harness.readKey(made)).toBeUndefined();
  });

  it("does not prevent the revocation of a key", async () => {
    const { harness, made } = await start();
    await harness.deleteKey(made);
    expect(await harness.liveIds()).toEqual([]);
  });

  it("does not prove together with the answer 404 to a revocation that a working key is gone", async () => {
    const { harness, made } = await start();
    await harness.plane.rules.add({
      route: "DELETE /organizations/{org_id}/api_keys/{key_id}",
      status: 404,
      count: null,
    });
    expect(await failureOf(harness.deleteKey(made))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("does not let a key go untold that nobody can try, such as a sealed one", async () => {
    const { harness, made } = await start();
    await harness.plane.rules.add({
      route: "DELETE /organizations/{org_id}/api_keys/{key_id}",
      status: 404,
      count: null,
    });
    await harness.deleteKey({ ...made, outputs: { ...made.outputs, key: null } });
    expect(harness.told.warn).toEqual([expect.stringContaining(`run \`npx keyplane revoke ${made.id}\``)]);
  });

  it("does not prove a revocation whose answer was lost", async () => {
    const { harness, made } = await start();
    await harness.plane.rules.add({
      route: "DELETE /organizations/{org_id}/api_keys/{key_id}",
      status: 500,
      count: null,
    });
    expect(await failureOf(harness.deleteKey(made))).toMatchObject({ code: "KP-API" });
  });
});

describe("a secret that the service repeats", () => {
  it("in a list of keys appears in no record", async () => {
    const harness = await StackHarness.start();
    const { key } = (await harness.createKey()).outputs as { key: string };
    const echo = (text: string) => (record: Properties) => ({
      ...record,
      name: `n-${text}`,
      created_by: { name: text },
    });
    for (const text of [key, harness.plane.apiKey, key.toUpperCase(), Buffer.from(key).toString("hex")]) {
      await harness.plane.rules.add({ route: LIST, ...(await listed(harness, echo(text))) });
      expect(JSON.stringify(await harness.account.keys.list({ fresh: true }))).not.toContain(text);
    }
  });
});
