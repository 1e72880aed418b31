import { expect, test } from "vitest";
import { joinReport } from "../../../cli/report/join";
import type { ReadList } from "../../../cli/report/place-keys";
import type { Report, ReportKey } from "../../../cli/report/report-data";
import { stateIn } from "../../../cli/state/states";
import { identityOf } from "../../../provider/keys/identity";
import { autoName, newRunId, noncesOf, ownerTag } from "../../../provider/keys/names";
import type { Deployment } from "../../../provider/stack/deployment";
import { generatedName } from "../../generated-name";
import { deploymentOf, listOf, markOf, npmKey, ownerOf, pluginKey, recorded, urnOf } from "./report-sources";
import { sealed } from "./stack-file";

const DAY = 86_400_000;
const OWNER = "5b4f6f54-8f0c-4a5e-9a44-1f6a0c6b7a11";
const OTHER = "9670ba0e-75ed-4bd9-9967-ce6d1ea27eff";
const NOW = Date.parse("2026-11-21T00:00:00Z");

function report(lists: readonly ReadList[], ...deployments: readonly Deployment[]): Report {
  const states = deployments.map((deployment, at) => stateIn(`${at}.json`, deployment));
  return joinReport({ lists, states }, { now: NOW, unusedFor: { text: "90d", ms: 90 * DAY } });
}

/** The key with this id in a report. */
function keyOf({ keys }: Report, id: string): ReportKey {
  const found = keys.filter((key) => key.id === id);
  expect(found).toHaveLength(1);
  return found[0] as ReportKey;
}

const inNpm = (...resources: Parameters<typeof deploymentOf>[0]) => deploymentOf([ownerOf(OWNER), ...resources]);

test("a key has the stack, the resource, the consumers and the date of its state, and the use of the service", () => {
  const name = generatedName("ci", OWNER);
  const urn = urnOf("pulumi-nodejs:dynamic/keyplane:ApiKey", "ci");
  const state = inNpm(
    {
      ...npmKey("ApiKey", "ci", OWNER, { keyId: "7", name, rotateAt: "2027-02-20T00:25:26.000Z" }),
      created: "2026-11-01T00:00:00Z",
    },
    {
      ...{ type: "aws:ssm:Parameter", name: "secret", propertyDependencies: { value: [urn] } },
      ...{ created: "2026-11-01T00:00:09Z", modified: "2026-11-01T00:00:09Z" },
    },
    { type: "aws:ssm:Parameter", name: "after", dependencies: [urn], propertyDependencies: { value: [] } },
    { type: "aws:ssm:Parameter", name: "replaced", propertyDependencies: { value: [urn] }, delete: true },
    {
      type: "pulumi-nodejs:dynamic/keyplane:Ledger",
      name: "keyplane",
      outputs: { owned: ["7"], delivered: ["7"] },
      propertyDependencies: { owned: [urn] },
    },
  );
  const listed = { id: "7", name, lastUsedAt: "2026-11-19T00:00:00Z", lastUsedFromAddr: "192.0.2.7", createdBy: "Ada" };
  const key = keyOf(report([listOf([listed])], state), "7");
  expect(key).toMatchObject({
    ...{ name, status: "live", accounts: ["(default)"], stack: "shop/dev", flags: [] },
    ...{ lastUsedAt: "2026-11-19T00:00:00Z", lastUsedFromAddr: "192.0.2.7", createdBy: "Ada" },
    rotateAt: "2027-02-20T00:25:26.000Z",
    next: { action: "replace", after: "2027-02-20T00:25:26.000Z", isDue: false },
  });
  expect(key.holders).toEqual([
    {
      ...{ stack: "shop/dev", urn, resource: "ci", type: "ApiKey", frontEnd: "npm", role: "current" },
      consumers: [urnOf("aws:ssm:Parameter", "secret")],
    },
  ]);
  expect(key.events).toEqual([
    { what: "created", at: "2026-11-01T00:00:00.000Z" },
    { what: "delivered", at: "2026-11-01T00:00:09.000Z" },
    { what: "used", at: "2026-11-19T00:00:00.000Z" },
    { what: "rotation due", at: "2027-02-20T00:25:26.000Z" },
  ]);
});

test("a key that a consumer does not have yet is not reported as delivered", () => {
  const urn = urnOf("pulumi-nodejs:dynamic/keyplane:ApiKey", "ci");
  const state = inNpm(
    { ...npmKey("ApiKey", "ci", OWNER, { keyId: "7", name: "x" }), created: "2026-11-02T00:00:00Z" },
    { type: "a:b:C", name: "late", propertyDependencies: { v: [urn] }, modified: "2026-11-01T00:00:00Z" },
  );
  const { events } = keyOf(report([listOf([{ id: "7", name: "x" }])], state), "7");
  expect(events.map(({ what }) => what)).toEqual(["created"]);
});

test("a previous key shows its grace, and its successor what waits for it", () => {
  const state = inNpm(
    npmKey("RotatingApiKey", "app", OWNER, {
      ...{ keyId: "8", name: "new", previousKeyId: "7", previousName: "old", queuedTriggersDigest: "x" },
      ...{
        rotatedAt: "2026-11-10T00:00:00Z",
        deliveredAt: "2026-11-10T00:01:00Z",
        retireAfter: "2026-11-22T00:00:00Z",
      },
      ...{ retired: ["6"], rotateAt: "2026-12-01T00:00:00Z" },
    }),
  );
  const lists = [
    listOf(["8", "7", "6"].map((id) => ({ id, name: id === "8" ? "new" : id === "7" ? "old" : "older" }))),
  ];
  const all = report(lists, state);
  expect(keyOf(all, "8").next).toMatchObject({
    action: "rotate",
    isDue: false,
    text: expect.stringContaining("key 7"),
  });
  expect(keyOf(all, "8").events.map(({ what }) => what)).toEqual(["created", "delivered", "rotation due"]);
  expect(keyOf(all, "7")).toMatchObject({
    ...{ flags: ["previous"], revokeAfter: "2026-11-22T00:00:00.000Z" },
    next: { action: "revoke", after: "2026-11-22T00:00:00.000Z", isDue: false },
  });
  expect(keyOf(all, "7").events.map(({ what }) => what)).toEqual(["created", "rotated", "grace ends"]);
  expect(keyOf(all, "6")).toMatchObject({
    next: { action: "revoke", isDue: true },
    holders: [{ role: "to be revoked" }],
  });
});

test("a key that is overdue, not ready or left by a replacement says what the next up does", () => {
  const late = npmKey("ApiKey", "late", OWNER, { keyId: "1", name: "a", rotateAt: "2026-11-20T00:00:00Z" });
  const pending = npmKey("ApiKey", "slow", OWNER, { keyId: "2", name: "b", pending: [{ action: "apply_config" }] });
  const left = { ...npmKey("ApiKey", "swap", OWNER, { keyId: "3", name: "c" }), delete: true };
  const successor = npmKey("ApiKey", "swap", OWNER, { keyId: "4", name: "d" });
  const lists = [listOf(["a", "b", "c", "d"].map((name, at) => ({ id: String(at + 1), name })))];
  const all = report(lists, inNpm(successor, left, late, pending));
  expect(keyOf(all, "1")).toMatchObject({ flags: ["overdue"], next: { action: "replace", isDue: true } });
  expect(keyOf(all, "1").next.text).toContain("due for 24 h");
  expect(keyOf(all, "2").next).toMatchObject({ action: "wait", isDue: true });
  expect(keyOf(all, "3").next).toMatchObject({ action: "revoke", isDue: true });
  expect(keyOf(all, "4").next).toMatchObject({ action: "stay", isDue: false });
});

test("a key that no state holds ends at its deadline, which keyplane reap looks after", () => {
  const nonce = noncesOf(newRunId());
  const keys = [-1, 1].map((days) => ({ id: String(days), name: autoName("ci", OWNER, nonce(), NOW + days * DAY) }));
  const all = report([listOf(keys)], inNpm());
  expect(keyOf(all, "-1")).toMatchObject({ flags: ["orphan", "expired"], next: { action: "revoke", isDue: true } });
  const next = { action: "revoke", isDue: false, text: "`keyplane reap` revokes it after 2026-11-22 00:00 UTC" };
  expect(keyOf(all, "1").next).toMatchObject(next);
});

test("a key of a state has its deadline and is expired after it, whatever its stack would do", () => {
  const nonce = noncesOf(newRunId());
  const names = [-1, 1].map((days) => autoName("ci", OWNER, nonce(), NOW + days * DAY));
  const keys = names.map((name, at) => ({ id: String(at + 7), name }));
  const rotateAt = new Date(NOW - 9 * DAY).toISOString();
  const state = inNpm(...keys.map(({ id, name }) => npmKey("ApiKey", `ci${id}`, OWNER, { keyId: id, name, rotateAt })));
  const all = report([listOf(keys)], state);
  expect(keyOf(all, "7")).toMatchObject({
    ...{ expiresAt: "2026-11-20T00:00:00.000Z", flags: ["expired"] },
    next: { action: "revoke", isDue: true, text: "`keyplane reap` revokes it" },
  });
  expect(keyOf(all, "8")).toMatchObject({
    ...{ expiresAt: "2026-11-22T00:00:00.000Z", flags: ["overdue"], next: { action: "replace", isDue: true } },
    events: [{ what: "created" }, { what: "rotation due" }, { what: "deadline", at: "2026-11-22T00:00:00.000Z" }],
  });
});

test("a holder says whether the state has only a sealed secret", () => {
  const keys = ["7", "8"].map((id) => ({ id, name: generatedName("app", OWNER) }));
  const [current, previous] = keys;
  const outputs = { keyId: "7", name: current?.name, key: null, sealedKey: { age: "..." } };
  const before = { previousKeyId: "8", previousName: previous?.name, previousKey: "secret", previousSealedKey: null };
  const all = report([listOf(keys)], inNpm(npmKey("RotatingApiKey", "app", OWNER, { ...outputs, ...before })));
  expect(keyOf(all, "7").holders).toMatchObject([{ role: "current", isSealed: true }]);
  expect(keyOf(all, "8").holders[0]).not.toHaveProperty("isSealed");
});

test("keys that no state holds are orphans of a stack, or unmanaged, but nothing without a state", () => {
  const keys = [
    { id: "1", name: generatedName("ci", OWNER) },
    { id: "2", name: generatedName("ci", "another") },
    { id: "3", name: "by-hand", lastUsedAt: "2026-06-01T00:00:00Z" },
  ];
  const all = report([listOf(keys)], inNpm());
  expect(keyOf(all, "1")).toMatchObject({ flags: ["orphan"], stack: "shop/dev", next: { action: "decide" } });
  expect(keyOf(all, "2")).toMatchObject({ flags: ["unmanaged"], next: { action: "none" } });
  expect(keyOf(all, "3").flags).toEqual(["unmanaged", "unused"]);
  expect(all.flagged).toEqual({ orphan: 1, unmanaged: 2, unused: 1 });
  const withoutStates = report([listOf(keys)]);
  expect(withoutStates.flagged).toEqual({ unused: 1 });
  expect(keyOf(withoutStates, "1").next.text).toBe("Unknown: no state was given");
});

test("a key is gone only if the list is proven to be the one that had it", () => {
  const identity = identityOf(OWNER, markOf("admin"));
  const same = inNpm(npmKey("ApiKey", "ci", identity, { keyId: "7", name: "ci" }));
  expect(keyOf(report([listOf([])], same), "7")).toMatchObject({
    ...{ status: "gone", accounts: ["(default)"], flags: ["gone"], next: { action: "create" } },
    events: [{ what: "gone", at: "2026-11-21T00:00:00.000Z" }],
  });
  const elsewhere = identityOf(OWNER, markOf("former"));
  const other = inNpm(npmKey("ApiKey", "ci", elsewhere, { keyId: "7", name: "ci" }));
  expect(keyOf(report([listOf([])], other), "7")).toMatchObject({ status: "not found", flags: ["not found"] });
  // Another key of the owner proves that the account is the same.
  const witness = npmKey("ApiKey", "app", elsewhere, { keyId: "8", name: "app" });
  const both = inNpm(npmKey("ApiKey", "ci", elsewhere, { keyId: "7", name: "ci" }), witness);
  expect(keyOf(report([listOf([{ id: "8", name: "app" }])], both), "7").status).toBe("gone");
  const tagged = [{ id: "9", name: generatedName("x", OWNER) }];
  expect(keyOf(report([listOf(tagged)], other), "7").status).toBe("gone");
});

test("a key of an account that could not be read is not reported as gone", () => {
  const state = inNpm(npmKey("ApiKey", "ci", identityOf(OWNER, markOf("admin")), { keyId: "7", name: "ci" }));
  const unread: ReadList = { ...listOf([]), keys: undefined, problem: "timed out" };
  const all = report([unread], state);
  expect(keyOf(all, "7").status).toBe("not found");
  expect(all.accounts).toEqual([{ label: "(default)", origin: "https://service.example", problem: "timed out" }]);
});

test("a key with the same id in another account is another key", () => {
  const eu = listOf([{ id: "7", name: "of-eu" }], { account: "eu", mark: markOf("eu"), origin: "https://eu.example" });
  const lists = [listOf([{ id: "7", name: "of-default" }]), eu];
  const state = inNpm(npmKey("ApiKey", "ci", OWNER, { keyId: "7", name: "of-eu", account: "eu" }));
  const { keys } = report(lists, state);
  expect(keys.map(({ name, accounts, holders }) => [name, accounts, holders.length])).toEqual([
    ["of-default", ["(default)"], 0],
    ["of-eu", ["eu"], 1],
  ]);
});

test("a key of the same id, but with another name, is not the one of a state whose account is not recorded", () => {
  const state = inNpm(npmKey("ApiKey", "ci", OWNER, { keyId: "7", name: "of-another-service" }));
  const { keys } = report([listOf([{ id: "7", name: "of-this-service" }])], state);
  expect(keys.map(({ name, status }) => [name, status])).toEqual([
    ["of-this-service", "live"],
    ["of-another-service", "not found"],
  ]);
  const unnamed = inNpm(npmKey("ApiKey", "ci", OWNER, { keyId: "7" }));
  expect(report([listOf([{ id: "7", name: "of-this-service" }])], unnamed).keys).toHaveLength(1);
});

test("two credentials of one account list the same key, which appears once", () => {
  const lists = [
    listOf([{ id: "7", name: "x" }]),
    listOf([{ id: "7", name: "x" }], { account: "eu", mark: markOf("eu") }),
  ];
  expect(report(lists).keys.map(({ accounts }) => accounts)).toEqual([["(default)", "eu"]]);
});

test("a copied state does not decide about a key, and a key in two states names both", () => {
  const name = generatedName("app", OWNER);
  const outputs = { keyId: "8", name, previousKeyId: "7", previousName: generatedName("old", OWNER) };
  const original = inNpm(npmKey("RotatingApiKey", "app", OWNER, { ...outputs, retireAfter: "2026-11-20T00:00:00Z" }));
  const copy = deploymentOf([ownerOf(OWNER, "dev"), npmKey("RotatingApiKey", "app", OWNER, outputs)], "copy");
  const lists = [
    listOf([
      { id: "8", name },
      { id: "7", name: outputs.previousName },
    ]),
  ];
  const all = report(lists, copy, original);
  expect(keyOf(all, "8").holders.map(({ stack, isCopy }) => [stack, isCopy])).toEqual([
    ["shop/dev", undefined],
    ["shop/copy", true],
  ]);
  expect(keyOf(all, "7")).toMatchObject({ flags: ["overdue", "previous", "several states"], next: { isDue: true } });
  expect(keyOf(report(lists, copy), "7").next).toMatchObject({ action: "stay", isDue: false });
  expect(report(lists, copy).stacks).toMatchObject([{ stack: "shop/copy", isCopy: true }]);
  // After an `up`, the copy has its own owner, and the name of the key still shows who created it.
  const later = deploymentOf([ownerOf(OTHER, "copy"), npmKey("RotatingApiKey", "app", OTHER, outputs)], "copy");
  expect(keyOf(report(lists, later), "7")).toMatchObject({ next: { action: "stay" }, holders: [{ isCopy: true }] });
});

test("an older state of the same stack is left out, so that its keys do not look gone", () => {
  const before = deploymentOf([ownerOf(OWNER), npmKey("ApiKey", "ci", OWNER, { keyId: "6", name: "old" })]);
  const key = npmKey("ApiKey", "ci", OWNER, { keyId: "7", name: "new" });
  const after = deploymentOf([ownerOf(OWNER), key], "dev", "2026-11-20T01:00:00Z");
  for (const states of [
    [before, after],
    [after, before],
  ]) {
    const all = report([listOf([{ id: "7", name: "new" }])], ...states);
    expect(all.keys.map(({ id }) => id)).toEqual(["7"]);
    expect(all.stacks.filter(({ isOutdated }) => isOutdated)).toMatchObject([{ savedAt: "2026-11-20T00:00:00.000Z" }]);
  }
});

test("an adopted key and the keys of the plugin are joined as those of the npm package", () => {
  const adopted = npmKey("RotatingApiKey", "hand", OWNER, {
    ...{ keyId: "5", name: "by-hand", adopted: { id: "5", by: ownerTag(OWNER) } },
  });
  const rotating = pluginKey("RotatingApiKey", "app", OTHER, {
    ...{ keyId: "8", name: "app", previousKeyId: "7", previousName: "was", rotateAt: null, pending: null },
    ...{ account: null, organizationId: null },
  });
  const lists = [
    listOf(["by-hand", "app", "was", "ci"].map((name, at) => ({ id: ["5", "8", "7", "9"][at] ?? "", name }))),
  ];
  const all = report(
    lists,
    inNpm(adopted),
    deploymentOf([rotating, pluginKey("ApiKey", "ci", OTHER, { keyId: "9", name: "ci" })], "prod"),
  );
  expect(keyOf(all, "5").holders).toMatchObject([{ isAdopted: true, role: "current" }]);
  expect(keyOf(all, "5").holders[0]).not.toHaveProperty("isCopy");
  expect(keyOf(all, "8").holders).toMatchObject([{ frontEnd: "plugin", type: "RotatingApiKey", role: "current" }]);
  expect(keyOf(all, "7").holders).toMatchObject([{ role: "previous" }]);
  expect(keyOf(all, "9").holders).toMatchObject([{ type: "ApiKey", resource: "ci" }]);
});

test.each(["0.1", "0.2.0-alpha.1/npm", "0.2.0-alpha.1/plugin", "0.2.0-alpha.2/npm", "0.2.0-alpha.2/plugin"])(
  "a state of version %s and its account are joined completely",
  (folder) => {
    const { deployment, list } = recorded(folder);
    const all = report([list], deployment);
    expect(all.keys.length).toBeGreaterThanOrEqual(list.keys?.length ?? Number.NaN);
    const app = all.keys.filter(({ holders }) => holders.some(({ resource }) => resource === "app"));
    expect(app.map(({ holders }) => holders[0]?.role)).toEqual(expect.arrayContaining(["current", "previous"]));
    expect(app.every(({ name, status }) => name !== undefined && status === "live")).toBe(true);
    expect(all.keys.filter(({ flags }) => flags.includes("unmanaged")).map(({ name }) => name)).toEqual(["admin"]);
    expect(all.keys.filter(({ status }) => status !== "live")).toEqual([]);
  },
);

test("a name of an account that can be a secret in the wrong place is not shown", () => {
  const secret = "kp7f3c9a1b2d4e5f60718293a4b5c6d7";
  const state = inNpm(npmKey("ApiKey", "ci", OWNER, { keyId: "8", name: "x", account: secret }));
  const all = report([listOf([{ id: "7", name: "y" }], { account: secret })], state);
  expect(JSON.stringify(all)).not.toContain(secret);
  expect(all.accounts.map(({ label }) => label)).toEqual([expect.stringMatching(/^\[account [a-z2-7]{8}\]$/)]);
});

test("encrypted and secret values of a state are never copied", () => {
  const plaintext = (value: string) => ({ ...sealed, ciphertext: undefined, plaintext: JSON.stringify(value) });
  const state = inNpm(
    npmKey("RotatingApiKey", "app", OWNER, {
      ...{
        keyId: "8",
        name: plaintext("name_is_secret"),
        key: plaintext("kp_current_secret"),
        previousKey: "kp_previous",
      },
      ...{
        previousKeyId: "7",
        previousName: sealed,
        createdAt: "kp_not_a_time",
        rotateAt: sealed,
        nextAction: "kp_next",
      },
      ...{ adopted: { id: "8", by: "kp_by", key: "kp_adopted" }, retireAfter: plaintext("kp_retire") },
    }),
    { type: "a:b:C", name: "c", inputs: { password: "kp_password" }, outputs: { password: plaintext("kp_plain") } },
  );
  const all = report([listOf([])], state);
  expect(all.keys).toHaveLength(2);
  expect(JSON.stringify(all)).not.toMatch(/kp_|secret/);
});
