import { expect, test } from "vitest";
import type { ReadList, ShownKey } from "../../../cli/keys/join";
import { type Report, reportOf } from "../../../cli/report/data";
import { stateIn } from "../../../cli/state/states";
import { nameOf, newSuffix } from "../../../provider/keys/naming";
import type { Deployment } from "../../../provider/stack/deployment";
import { DAY } from "../../times";
import { accountOf, deploymentOf, listOf, npmKey, pluginKey, urnOf } from "./report-sources";
import { sealed, strangeName } from "./stack-file";

const NOW = Date.parse("2026-11-21T00:00:00Z");

function report(lists: readonly ReadList[], ...deployments: readonly Deployment[]): Report {
  const states = deployments.map((deployment, at) => stateIn(`${at}.json`, deployment));
  return reportOf(lists, states, { now: NOW, credentials: new Set() });
}

/** The key with this id in a report. */
function keyOf({ keys }: Report, id: string): ShownKey {
  const found = keys.filter((key) => key.id === id);
  expect(found).toHaveLength(1);
  return found[0] as ShownKey;
}

const stateOf = (...resources: Parameters<typeof deploymentOf>[0]) => deploymentOf(resources);

test("a key has the stack, the resource, the consumers and the date of its state, and the use of the service", () => {
  const name = strangeName("ci");
  const urn = urnOf("pulumi-nodejs:dynamic/keyplane:ApiKey", "ci");
  const state = stateOf(
    {
      ...npmKey("ApiKey", "ci", { keyId: "7", name, rotateAt: "2027-02-20T00:25:26.000Z" }),
      created: "2026-11-01T00:00:00Z",
    },
    {
      type: "aws:ssm:Parameter",
      name: "secret",
      propertyDependencies: { value: [urn] },
      created: "2026-11-01T00:00:09Z",
      modified: "2026-11-01T00:00:09Z",
    },
    { type: "aws:ssm:Parameter", name: "after", dependencies: [urn], propertyDependencies: { value: [] } },
    { type: "aws:ssm:Parameter", name: "replaced", propertyDependencies: { value: [urn] }, delete: true },
  );
  const listed = { id: "7", name, lastUsedAt: "2026-11-19T00:00:00Z", lastUsedFromAddr: "192.0.2.7", createdBy: "Ada" };
  const key = keyOf(report([listOf([listed])], state), "7");
  expect(key).toMatchObject({
    name,
    status: "live",
    accounts: ["(default)"],
    stack: "shop/dev",
    flags: [],
    lastUsedAt: "2026-11-19T00:00:00Z",
    lastUsedFromAddr: "192.0.2.7",
    createdBy: "Ada",
    rotateAt: "2027-02-20T00:25:26.000Z",
    next: { action: "replace", after: "2027-02-20T00:25:26.000Z", isDue: false },
  });
  expect(key.holders).toEqual([
    {
      stack: "shop/dev",
      urn,
      resource: "ci",
      type: "ApiKey",
      role: "current",
      stays: false,
      isSealed: false,
      consumers: [urnOf("aws:ssm:Parameter", "secret")],
    },
  ]);
});

test("a previous key shows its grace, and its successor what waits for it", () => {
  const suffix = newSuffix(urnOf("RotatingApiKey", "app"));
  const state = stateOf(
    npmKey("RotatingApiKey", "app", {
      keyId: "8",
      name: "new",
      previousKeyId: "7",
      previousName: "old",
      rotationQueued: true,
      ...{
        rotatedAt: "2026-11-10T00:00:00Z",
        retireAfter: "2026-11-22T00:00:00Z",
        requireUse: true,
      },
      pendingRevocations: ["6"],
      __suffix: suffix,
      rotateAt: "2026-12-01T00:00:00Z",
    }),
  );
  const lists = [
    listOf(
      ["8", "7", "6"].map((id) => ({ id, name: id === "8" ? "new" : id === "7" ? "old" : nameOf("app", suffix, 1) })),
    ),
  ];
  const all = report(lists, state);
  expect(keyOf(all, "8").next).toMatchObject({
    action: "rotate",
    isDue: false,
    text: expect.stringContaining("key 7"),
  });
  expect(keyOf(all, "7")).toMatchObject({
    flags: [],
    revokeAfter: "2026-11-22T00:00:00.000Z",
    next: { action: "revoke", after: "2026-11-22T00:00:00.000Z", isDue: false, text: expect.stringContaining("key 8") },
  });
  expect(keyOf(all, "6")).toMatchObject({
    next: { action: "revoke", isDue: true },
    holders: [{ role: "to be revoked" }],
  });
});

test("a key that is overdue, not ready or left by a replacement says what the next up does", () => {
  const late = npmKey("ApiKey", "late", { keyId: "1", name: "a", rotateAt: "2026-11-20T00:00:00Z" });
  const pending = npmKey("ApiKey", "slow", { keyId: "2", name: "b", pending: [{ action: "apply_config" }] });
  const left = { ...npmKey("ApiKey", "swap", { keyId: "3", name: "c" }), delete: true };
  const successor = npmKey("ApiKey", "swap", { keyId: "4", name: "d" });
  const lists = [listOf(["a", "b", "c", "d"].map((name, at) => ({ id: String(at + 1), name })))];
  const all = report(lists, stateOf(successor, left, late, pending));
  expect(keyOf(all, "1")).toMatchObject({ flags: ["overdue"], next: { action: "replace", isDue: true } });
  expect(keyOf(all, "1").next.text).toContain("due for 24 h");
  expect(keyOf(all, "2").next).toMatchObject({ action: "wait", isDue: true });
  expect(keyOf(all, "3").next).toMatchObject({ action: "revoke", isDue: true });
  expect(keyOf(all, "4").next).toMatchObject({ action: "stay", isDue: false });
});

// 2026-11-21 is a Saturday.
test.each<[string, object, object]>([
  ["is due when it opens next", {}, { flags: [], next: { isDue: false, after: "2026-11-23T09:00:00.000Z" } }],
  [
    "is due at once while it is open",
    { rotationWindow: { days: ["fri", "sat"] } },
    { flags: ["overdue"], next: { isDue: true, after: "2026-11-09T09:00:00.000Z" } },
  ],
  [
    "does not wait for it after its deadline",
    { maxAge: "24d" },
    { flags: ["overdue"], next: { isDue: true, after: "2026-11-09T09:00:00.000Z" } },
  ],
  [
    "waits for the first time inside it",
    { createdAt: "2026-11-19T00:00:00Z", rotateAt: "2026-11-30T09:00:00Z" },
    { flags: [], next: { isDue: false, after: "2026-11-30T09:00:00.000Z" } },
  ],
  [
    "that is encrypted has only the recorded date",
    { rotationWindow: sealed },
    { flags: ["overdue"], next: { isDue: true, after: "2026-11-09T09:00:00.000Z" } },
  ],
])("a key with a window %s", (_, outputs, expected) => {
  const key = { keyId: "7", name: "a", createdAt: "2026-10-29T00:00:00Z", rotateAt: "2026-11-09T09:00:00Z" };
  const ages = { rotateAfter: "10d", rotationWindow: { days: ["mon", "tue"], startTime: "09:00", endTime: "12:00" } };
  const state = stateOf(npmKey("ApiKey", "ci", { ...key, ...ages, ...outputs }));
  expect(keyOf(report([listOf([{ id: "7", name: "a" }])], state), "7")).toMatchObject(expected);
});

test("a rotating key does not wait for a window that opens when its grace would end after its deadline", () => {
  const key = { keyId: "7", name: "a", createdAt: "2026-10-29T00:00:00Z", rotateAt: "2026-11-09T09:00:00Z" };
  const ages = {
    rotateAfter: "10d",
    maxAge: "26d",
    rotationWindow: { days: ["mon"], startTime: "09:00", endTime: "12:00" },
  };
  const isDue = (outputs: object) => {
    const state = stateOf(npmKey("RotatingApiKey", "app", { ...key, ...ages, ...outputs }));
    return keyOf(report([listOf([{ id: "7", name: "a" }])], state), "7").next.isDue;
  };
  expect([isDue({ gracePeriod: "1h" }), isDue({ gracePeriod: "20h" })]).toEqual([false, true]);
});

test.each<[string, object, object]>([
  ["cannot become ready", { pending: [{ action: "verify", status: "failed" }] }, { action: "rotate", isDue: true }],
  ["is not ready yet", { pending: [{ action: "verify" }] }, { action: "wait", isDue: true }],
  [
    "is to be revoked beside its previous key",
    { revokeNow: "7", previousKeyId: "6" },
    { action: "rotate", isDue: true },
  ],
])("a rotating key that %s says what the next up does with it", (_, outputs, next) => {
  const state = stateOf(npmKey("RotatingApiKey", "app", { keyId: "7", name: "a", ...outputs }));
  expect(keyOf(report([listOf([{ id: "7", name: "a" }])], state), "7").next).toMatchObject(next);
});

test("a key that no state holds ends at its deadline, which keyplane reap looks after", () => {
  const keys = [-1, 1].map((days) => ({
    id: String(days),
    name: nameOf("ci", newSuffix("urn"), 1, NOW + days * DAY),
  }));
  const all = report([listOf(keys)], stateOf());
  expect(keyOf(all, "-1")).toMatchObject({ flags: ["expired", "unmanaged"], next: { action: "revoke", isDue: true } });
  const next = { action: "revoke", isDue: false, text: "`keyplane reap` revokes it after 2026-11-22 00:00 UTC" };
  expect(keyOf(all, "1").next).toMatchObject(next);
});

test("a key of a state has its deadline and is expired after it, whatever its stack would do", () => {
  const names = [-1, 1].map((days) => nameOf("ci", newSuffix("urn"), 1, NOW + days * DAY));
  const keys = names.map((name, at) => ({ id: String(at + 7), name }));
  const rotateAt = new Date(NOW - 9 * DAY).toISOString();
  const state = stateOf(...keys.map(({ id, name }) => npmKey("ApiKey", `ci${id}`, { keyId: id, name, rotateAt })));
  const all = report([listOf(keys)], state);
  expect(keyOf(all, "7")).toMatchObject({
    expiresAt: "2026-11-20T00:00:00.000Z",
    flags: ["expired"],
    next: { action: "revoke", isDue: true, text: "`keyplane reap` revokes it" },
  });
  expect(keyOf(all, "8")).toMatchObject({
    expiresAt: "2026-11-22T00:00:00.000Z",
    flags: ["overdue"],
    next: { action: "replace", isDue: true },
  });
});

test("a holder says whether the state has only a sealed secret", () => {
  const keys = ["7", "8"].map((id) => ({ id, name: strangeName("app") }));
  const [current, previous] = keys;
  const outputs = { keyId: "7", name: current?.name, key: null, sealedKey: { age: "..." } };
  const before = { previousKeyId: "8", previousName: previous?.name, previousKey: "secret", previousSealedKey: null };
  const all = report([listOf(keys)], stateOf(npmKey("RotatingApiKey", "app", { ...outputs, ...before })));
  expect(keyOf(all, "7").holders).toMatchObject([{ role: "current", isSealed: true }]);
  expect(keyOf(all, "8").holders).toMatchObject([{ isSealed: false }]);
});

test("keys that no state holds are orphans, if one shows it, or unmanaged, but nothing without a state", () => {
  const type = "pulumi-nodejs:dynamic/keyplane:ApiKey";
  const suffix = newSuffix(urnOf(type, "ci"));
  const keys = [
    { id: "1", name: nameOf("ci", suffix, 1) },
    { id: "2", name: strangeName() },
    { id: "3", name: "by-hand", lastUsedAt: "2026-06-01T00:00:00Z" },
    { id: "4", name: nameOf("ci", suffix, 2), createdAt: new Date(NOW - 60_000).toISOString() },
  ];
  const noted = deploymentOf([], "dev", undefined, [{ type, name: "ci", inputs: { __suffix: suffix } }]);
  const all = report([listOf(keys)], noted);
  expect(keyOf(all, "1")).toMatchObject({
    flags: ["orphan"],
    stack: "shop/dev",
    resource: urnOf(type, "ci"),
    next: { action: "decide" },
  });
  expect(keyOf(all, "2")).toMatchObject({ flags: ["unmanaged"], next: { action: "none" } });
  expect(keyOf(all, "3").flags).toEqual(["unmanaged", "unused"]);
  // A run in progress may be about to save it.
  expect(keyOf(all, "4").flags).toEqual([]);
  expect(all.flagged).toEqual({ orphan: 1, unmanaged: 2, unused: 1 });
  const withoutStates = report([listOf(keys)]);
  expect(withoutStates.flagged).toEqual({ unused: 1 });
  expect(keyOf(withoutStates, "1").next.text).toBe("Unknown: no state was given");
});

test("the key that keyplane authenticates with is its credential, and not unmanaged", () => {
  const list = listOf([{ id: "7", name: "admin" }]);
  const terms = { now: NOW, credentials: new Set(list.keys) };
  const all = reportOf([list], [stateIn("dev.json", stateOf())], terms);
  expect(keyOf(all, "7")).toMatchObject({ flags: ["credential"], next: { action: "none" } });
  expect(all.flagged).toEqual({ credential: 1 });
});

test("a key is gone only if the list is the one that last showed it", () => {
  const key = (account: string) => npmKey("ApiKey", "ci", { keyId: "7", name: "ci", __account: accountOf(account) });
  expect(keyOf(report([listOf([])], stateOf(key("admin"))), "7")).toMatchObject({
    status: "gone",
    accounts: ["(default)"],
    flags: ["gone"],
    next: { action: "create" },
  });
  // Another credential can be of another account.
  expect(keyOf(report([listOf([])], stateOf(key("former"))), "7")).toMatchObject({
    status: "not found",
    flags: ["not found"],
  });
  expect(keyOf(report([listOf([{ id: "7", name: "ci" }])], stateOf(key("former"))), "7").status).toBe("live");
});

test("a key that two accounts list under the same id and name is in the one that the state records", () => {
  const eu = listOf([{ id: "7", name: "ci", createdAt: "2026-11-02T00:00:00Z" }], {
    account: "eu",
    fingerprint: accountOf("eu"),
    origin: "https://eu.example",
  });
  const lists = [listOf([{ id: "7", name: "ci" }]), eu];
  const found = (outputs: object) => {
    const { keys } = report(lists, stateOf(npmKey("ApiKey", "ci", { keyId: "7", name: "ci", ...outputs })));
    return keys.filter(({ holders }) => holders.length > 0).map(({ accounts, status }) => [accounts, status]);
  };
  expect(found({ __account: accountOf("eu") })).toEqual([[["eu"], "live"]]);
  expect(found({ __account: accountOf("former") })).toEqual([[["(default)"], "not found"]]);
});

test("a key of an account that could not be read is not reported as gone", () => {
  const state = stateOf(npmKey("ApiKey", "ci", { keyId: "7", name: "ci", __account: accountOf("admin") }));
  const unread: ReadList = { ...listOf([]), keys: undefined, problem: "timed out" };
  const all = report([unread], state);
  expect(keyOf(all, "7").status).toBe("not found");
  expect(all.accounts).toEqual([{ label: "(default)", origin: "https://service.example", problem: "timed out" }]);
});

test("a key with the same id in another account is another key", () => {
  const eu = listOf([{ id: "7", name: "of-eu" }], {
    account: "eu",
    fingerprint: accountOf("eu"),
    origin: "https://eu.example",
  });
  const lists = [listOf([{ id: "7", name: "of-default" }]), eu];
  const state = stateOf(npmKey("ApiKey", "ci", { keyId: "7", name: "of-eu", account: "eu" }));
  const { keys } = report(lists, state);
  expect(keys.map(({ name, accounts, holders }) => [name, accounts, holders.length])).toEqual([
    ["of-default", ["(default)"], 0],
    ["of-eu", ["eu"], 1],
  ]);
});

test("a state with keys of one id in two accounts has both", () => {
  const eu = { account: "eu", fingerprint: accountOf("eu"), origin: "https://eu.example" };
  for (const [one, other] of [
    ["ci", "deploy"],
    // Exact names can be the same, too.
    ["ci", "ci"],
  ] as const) {
    const lists = [listOf([{ id: "7", name: one }]), listOf([{ id: "7", name: other }], eu)];
    const state = stateOf(
      npmKey("ApiKey", "here", { keyId: "7", name: one, __account: accountOf("admin") }),
      npmKey("ApiKey", "there", { keyId: "7", name: other, account: "eu", __account: accountOf("eu") }),
    );
    const { keys } = report(lists, state);
    expect(
      keys.map(({ accounts, holders, flags }) => [accounts, holders.map(({ resource }) => resource), flags]),
    ).toEqual([
      [["(default)"], ["here"], []],
      [["eu"], ["there"], []],
    ]);
  }
});

test("a key of the same id, but with another name, is not the one of a state whose account is not recorded", () => {
  const state = stateOf(npmKey("ApiKey", "ci", { keyId: "7", name: "of-another-service" }));
  const { keys } = report([listOf([{ id: "7", name: "of-this-service" }])], state);
  expect(keys.map(({ name, status }) => [name, status])).toEqual([
    ["of-this-service", "live"],
    ["of-another-service", "not found"],
  ]);
});

test("two credentials of one account list the same key, which appears once", () => {
  const lists = [
    listOf([{ id: "7", name: "x" }]),
    listOf([{ id: "7", name: "x" }], { account: "eu", fingerprint: accountOf("eu") }),
  ];
  expect(report(lists).keys.map(({ accounts }) => accounts)).toEqual([["(default)", "eu"]]);
});

test("a key in the states of two stacks names both, the one that hands it out first", () => {
  const outputs = { keyId: "8", name: "new", previousKeyId: "7", previousName: "old" };
  const one = stateOf(npmKey("RotatingApiKey", "app", { ...outputs, retireAfter: "2026-11-20T00:00:00Z" }));
  const other = deploymentOf([npmKey("ApiKey", "app", { keyId: "7", name: "old" })], "other");
  const lists = [
    listOf([
      { id: "8", name: "new" },
      { id: "7", name: "old" },
    ]),
  ];
  const key = keyOf(report(lists, one, other), "7");
  expect(key.holders.map(({ stack, role }) => [stack, role])).toEqual([
    ["shop/other", "current"],
    ["shop/dev", "previous"],
  ]);
  expect(key.flags).toEqual(["several states"]);
});

test("an older state of the same stack is left out, so that its keys do not look gone", () => {
  const __suffix = newSuffix(urnOf("ApiKey", "ci"));
  const before = stateOf(npmKey("ApiKey", "ci", { keyId: "6", name: "old", __suffix }));
  const key = npmKey("ApiKey", "ci", { keyId: "7", name: "new", __suffix });
  const after = deploymentOf([key], "dev", "2026-11-20T01:00:00Z");
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
  const adopted = npmKey("RotatingApiKey", "hand", {
    keyId: "5",
    name: "by-hand",
    adopted: { id: "5", name: "by-hand" },
  });
  const rotating = pluginKey("RotatingApiKey", "app", {
    keyId: "8",
    name: "app",
    previousKeyId: "7",
    previousName: "was",
    rotateAt: null,
    pending: null,
    account: null,
    organizationId: null,
  });
  const lists = [
    listOf(["by-hand", "app", "was", "ci"].map((name, at) => ({ id: ["5", "8", "7", "9"][at] ?? "", name }))),
  ];
  const all = report(
    lists,
    stateOf(adopted),
    deploymentOf([rotating, pluginKey("ApiKey", "ci", { keyId: "9", name: "ci" })], "prod"),
  );
  expect(keyOf(all, "5").holders).toMatchObject([{ role: "current" }]);
  expect(keyOf(all, "8").holders).toMatchObject([{ type: "RotatingApiKey", role: "current" }]);
  expect(keyOf(all, "7").holders).toMatchObject([{ role: "previous" }]);
  expect(keyOf(all, "9").holders).toMatchObject([{ type: "ApiKey", resource: "ci" }]);
});

test("a name of an account that can be a secret in the wrong place is not shown", () => {
  const secret = "kp7f3c9a1b2d4e5f60718293a4b5c6d7";
  const state = stateOf(npmKey("ApiKey", "ci", { keyId: "8", name: "x", account: secret }));
  const all = report([listOf([{ id: "7", name: "y" }], { account: secret })], state);
  expect(JSON.stringify(all)).not.toContain(secret);
  expect(all.accounts.map(({ label }) => label)).toEqual([expect.stringMatching(/^\[account [a-z2-7]{8}\]$/)]);
});

test("encrypted and secret values of a state are never copied", () => {
  const plaintext = (value: string) => ({ ...sealed, ciphertext: undefined, plaintext: JSON.stringify(value) });
  const state = stateOf(
    npmKey("RotatingApiKey", "app", {
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
      adopted: { id: "8", name: "kp_by", key: "kp_adopted" },
      retireAfter: plaintext("kp_retire"),
    }),
    { type: "a:b:C", name: "c", inputs: { password: "kp_password" }, outputs: { password: plaintext("kp_plain") } },
  );
  const all = report([listOf([])], state);
  expect(all.keys).toHaveLength(2);
  expect(JSON.stringify(all)).not.toMatch(/kp_|secret/);
});
