import { describe, expect, it, test } from "vitest";
import { kinds, type Properties } from "../../../provider/resources";
import type { Rule } from "../../kit/control-plane";
import { Bench, failureOf, type Made } from "./harness";

// The service can be wrong, or be somebody else. Whatever it answers: no key is revoked that it was not asked for by its
// name, none is lost, and no secret gets where it can be read.

const CREATE = "POST /api_keys";
const LIST = "GET /api_keys";

/** What a state holds in clear, and what messages showed. */
function shown(bench: Bench, { outputs, notReady }: Made): string {
  const { key, previousKey, ...clear } = outputs;
  return JSON.stringify([clear, notReady, bench.told]);
}

/** A list as the service would answer it, with something changed. */
async function listed(bench: Bench, change: (key: Properties) => Properties | undefined): Promise<Omit<Rule, "route">> {
  const answer = await fetch(`${bench.plane.url}/api_keys`, {
    headers: { authorization: `Bearer ${bench.plane.apiKey}` },
  });
  const keys = (await answer.json()) as readonly Properties[];
  return { status: 200, body: keys.map(change).filter((key) => key !== undefined) };
}

describe("a creation that is answered", () => {
  it("with a stranger's id and no secret revokes what the list shows under the name, and not the stranger's key", async () => {
    const bench = await Bench.start();
    const stranger = await bench.plane.state.createKey("deploy-bot");
    await bench.plane.rules.add({ route: CREATE, patch: { id: stranger.id }, omit: ["key"] });
    const { id } = await bench.createKey();
    expect(await bench.liveIds()).toEqual([`${stranger.id}`, id].sort());
    expect(await bench.requests()).toEqual([CREATE, LIST, "DELETE /api_keys/{key_id}", CREATE]);
  });

  describe.each(["a stranger", "keyplane's own credential", "another key of the stack"])(
    "with the id of %s",
    (whose) => {
      async function start(): Promise<{ bench: Bench; other: Made; made: Made; ids: string[] }> {
        const bench = await Bench.start();
        const own = (await bench.account.keys.list())[0]?.id;
        const other = await bench.createKey();
        const stranger = await bench.plane.state.createKey("deploy-bot");
        const id = { "a stranger": `${stranger.id}`, "another key of the stack": other.id }[whose] ?? own;
        await bench.plane.rules.add({ route: CREATE, patch: { id: Number(id) } });
        const made = await bench.createKey();
        const ids = (await bench.plane.liveKeys()).map((key) => String(key.id)).sort();
        return { bench, other, made, ids };
      }
      const live = async (bench: Bench) => (await bench.plane.liveKeys()).map((key) => String(key.id)).sort();

      it("is told apart by the names of a list, so that neither key is touched by a refresh or a destroy", async () => {
        const { bench, made, ids } = await start();
        for (const verb of [() => bench.readKey(made), () => bench.deleteKey(made)]) {
          expect(await failureOf(verb())).toMatchObject({ code: "KP-ID-MISMATCH" });
        }
        expect(await live(bench)).toEqual(ids);
      });

      it("costs neither key in the sweep at the end of the run", async () => {
        const { bench, other, made, ids } = await start();
        bench.context.run.heldNames.add(String(made.outputs.name));
        await bench.sweep([other.id, made.id], {});
        expect(await live(bench)).toEqual(ids);
        expect(bench.told.warn.join()).toContain("recorded the key of that name under another id");
      });
    },
  );

  it.each<[string, Omit<Rule, "route">]>([
    [
      "no time, and a date beyond the year 9999",
      { omit: ["created_at"], headers: { Date: "Fri, 31 Dec 99999 23:59:59 GMT" } },
    ],
    ["no time, and a date that is none", { omit: ["created_at"], headers: { Date: "soon" } }],
    ["a time that is none", { patch: { created_at: "+275760-09-13T00:00:00Z" } }],
    ["a last moment of the year 9999 elsewhere", { patch: { created_at: "9999-12-31T23:59:59-23:59" } }],
    ["operations that are none", { patch: { operations: [null, 7, {}, { id: "x" }] } }],
    ["a name that is a number", { patch: { name: 7 } }],
    ["a creator that is a list", { patch: { created_by: [[[]]] } }],
  ])("with %s is recorded all the same", async (_, rule) => {
    for (const kind of [kinds.ApiKey, kinds.RotatingApiKey]) {
      const bench = await Bench.start();
      await bench.plane.rules.add({ route: CREATE, ...rule });
      const { id, outputs } = await kind.create({ owner: bench.identity }, bench.context);
      expect(await bench.liveIds()).toEqual([String(outputs.keyId ?? id)]);
      expect(Date.parse(String(outputs.createdAt))).not.toBeNaN();
    }
  });

  it.each(["Fri, 31 Dec 99999 23:59:59 GMT", "Sat, 13 Sep 275760 00:00:00 GMT"])(
    "with the date %s and no time leaves no key unrecorded, also where its age counts",
    async (date) => {
      for (const kind of [kinds.ApiKey, kinds.RotatingApiKey]) {
        const bench = await Bench.start();
        await bench.plane.rules.add({ route: CREATE, omit: ["created_at"], headers: { Date: date } });
        const inputs = { owner: bench.identity, rotateAfter: "30d", gracePeriod: "1h" };
        const { id, outputs } = await kind.create(inputs, bench.context);
        expect(await bench.liveIds()).toEqual([String(outputs.keyId ?? id)]);
        expect(outputs.createdAt).toMatch(/^\d{4}-/);
      }
    },
  );

  it.each(["name", "created_by", "id"])(
    "with the new secret as its %s puts it into no state and no message",
    async (field) => {
      const bench = await Bench.start();
      const key = field === "id" ? "1234567890123" : `kp_live_echo_${field}_7Hq2xVn4`;
      await bench.plane.rules.add({ route: CREATE, patch: { key, [field]: key } });
      const made = await bench.createKey();
      expect(shown(bench, made)).not.toContain(key);
    },
  );

  it("with the new secret in an operation that it started puts it into no state and no message", async () => {
    const bench = await Bench.start();
    const key = "kp-echo-operation-7hq2xvn4";
    const { id: projectId } = await bench.plane.state.createProject();
    const times = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
    const id = "5f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
    const plain = { id, project_id: projectId, action: "start_compute", status: "failed", ...times };
    const operations = [
      { ...plain, action: `start ${key}` },
      { ...plain, status: key.toUpperCase() },
      { ...plain, project_id: key },
      { ...plain, branch_id: Array.from(key).join(" ") },
    ];
    await bench.plane.rules.add({ route: CREATE, patch: { key, operations } });
    const made = await bench.createKey({ operationTimeout: "1s" });
    expect(shown(bench, made).toLowerCase().replaceAll(" ", "")).not.toContain(key);
  });
});

test("the id of keyplane's own credential is not revoked under another secret, once the run has met it", async () => {
  const bench = await Bench.start();
  const own = await bench.createKey();
  const later = bench.beside({ apiKey: String(own.outputs.key) });
  // The list lies as well: it shows the id under the name that the state recorded.
  const lie = { ...own, outputs: { ...own.outputs, key: "kp_live_another_secret" } };
  expect(await failureOf(later.deleteKey(own))).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
  expect(await failureOf(later.deleteKey(lie))).toMatchObject({ code: "KP-OWN-CREDENTIAL" });
  expect(await later.endRun({ owner: later.identity, owned: [], pendingRevocations: [own.id] }, {})).toMatchObject({
    unrevoked: [own.id],
  });
  expect(await bench.liveIds()).toEqual([own.id]);
});

describe("a list that lacks a live key", () => {
  it("does not keep a key from being revoked, by its resource or by the ledger", async () => {
    const bench = await Bench.start();
    const [one, other] = [await bench.createKey(), await bench.createKey()];
    const before = await bench.sweep([one.id, other.id]);
    await bench.clock.pass(120_000);
    const isHidden = (key: Properties) => [one.id, other.id].includes(String(key.id));
    const list = await listed(bench, (key) => (isHidden(key) ? undefined : key));
    await bench.plane.rules.add({ route: LIST, count: null, ...list });
    const later = bench.beside({});
    await later.deleteKey(one);
    await later.endRun({ owner: bench.identity, owned: [], pendingRevocations: [other.id] }, before);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("does not make a refresh forget a key that works", async () => {
    const bench = await Bench.start();
    const key = await bench.createKey();
    await bench.clock.pass(120_000);
    const list = await listed(bench, (each) => (String(each.id) === key.id ? undefined : each));
    await bench.plane.rules.add({ route: LIST, ...list });
    expect(await failureOf(bench.beside({}).readKey(key))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("does not let a wrong id be revoked, where another list shows whose it is", async () => {
    const bench = await Bench.start();
    const stranger = await bench.plane.state.createKey("deploy-bot");
    await bench.plane.rules.add({ route: CREATE, patch: { id: stranger.id } });
    const made = await bench.createKey();
    await bench.clock.pass(120_000);
    const list = await listed(bench, (each) => (each.id === stranger.id ? undefined : each));
    await bench.plane.rules.add({ route: LIST, ...list });
    expect(await failureOf(bench.beside({}).deleteKey(made))).toMatchObject({ code: "KP-ID-MISMATCH" });
    expect(await bench.liveIds()).toContain(`${stranger.id}`);
  });
});

describe("an organization's empty list", () => {
  const ORGANIZATION = "org-local-1";
  const LIST_THERE = "GET /organizations/{org_id}/api_keys";

  async function start(): Promise<{ bench: Bench; made: Made }> {
    const bench: Bench = await Bench.start({ keys: () => bench.account.keysOf(ORGANIZATION) });
    const made = await bench.createKey({ organizationId: ORGANIZATION });
    await bench.clock.pass(120_000);
    await bench.plane.rules.add({ route: LIST_THERE, status: 200, body: [], count: null });
    return { bench, made };
  }

  it("does not prove that a key is gone: one that still works is not forgotten", async () => {
    const { bench, made } = await start();
    expect(await failureOf(bench.readKey(made))).toMatchObject({ code: "KP-ANSWER" });
    const inputs = { owner: bench.identity, organizationId: ORGANIZATION };
    const { id, outputs } = await kinds.RotatingApiKey.create(inputs, bench.context);
    await bench.clock.pass(120_000);
    expect(await failureOf(kinds.RotatingApiKey.read(id, outputs, bench.context))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("goes with a key that is refused: then it is gone", async () => {
    const { bench, made } = await start();
    await bench.plane.state.revokeKey(Number(made.id));
    expect(await bench.readKey(made)).toBeUndefined();
  });

  it("does not keep a key from being revoked", async () => {
    const { bench, made } = await start();
    await bench.deleteKey(made);
    expect(await bench.liveIds()).toEqual([]);
  });

  it("does not prove, with a revocation answered 404, that a key is gone which still works", async () => {
    const { bench, made } = await start();
    await bench.plane.rules.add({
      route: "DELETE /organizations/{org_id}/api_keys/{key_id}",
      status: 404,
      count: null,
    });
    expect(await failureOf(bench.deleteKey(made))).toMatchObject({ code: "KP-ANSWER" });
  });

  it("does not settle a revocation whose answer was lost", async () => {
    const { bench, made } = await start();
    await bench.plane.rules.add({
      route: "DELETE /organizations/{org_id}/api_keys/{key_id}",
      status: 500,
      count: null,
    });
    expect(await failureOf(bench.deleteKey(made))).toMatchObject({ code: "KP-API" });
  });
});

describe("a secret that the service repeats", () => {
  it("in a list of keys is in no record", async () => {
    const bench = await Bench.start();
    const { key } = (await bench.createKey()).outputs as { key: string };
    const echo = (text: string) => (record: Properties) => ({
      ...record,
      name: `n-${text}`,
      created_by: { name: text },
    });
    for (const text of [key, bench.plane.apiKey, key.toUpperCase(), Buffer.from(key).toString("hex")]) {
      await bench.plane.rules.add({ route: LIST, ...(await listed(bench, echo(text))) });
      expect(JSON.stringify(await bench.account.keys.list({ fresh: true }))).not.toContain(text);
    }
  });
});
