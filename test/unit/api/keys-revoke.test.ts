import { afterEach, describe, expect, test } from "vitest";
import { settingOf } from "../../../provider/settings/settings";
import type { Rule } from "../../../testing/control-plane";
import { DELETE, LIST } from "../../routes";
import { caught } from "../http/caught";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

async function startWithKey() {
  const setup = await startAccount();
  const { id } = await setup.account.keys.create("ci-1");
  const strike = (rule: Omit<Rule, "route">) => setup.plane.rules.add({ route: DELETE, ...rule });
  const requests = async () => (await setup.plane.log()).slice(1).map((each) => `${each.method} ${each.status}`);
  return { ...setup, id, strike, requests };
}

describe("revoking a key", () => {
  test("takes one request", async () => {
    const { account, plane, id, requests } = await startWithKey();
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await requests()).toEqual(["DELETE 200"]);
    expect(await plane.liveKeys()).toEqual([]);
  });

  test("takes one request for all callers, at the same moment and later", async () => {
    const { account, id, requests } = await startWithKey();
    const twice = await Promise.all([account.keys.revoke(id), account.keys.revoke(id, { unlisted: true })]);
    expect([...twice, await account.keys.revoke(id)]).toEqual(["revoked", "revoked", "revoked"]);
    expect(await requests()).toEqual(["DELETE 200"]);
  });

  test("is requested again after it failed for all callers", async () => {
    const { account, id, strike, requests } = await startWithKey();
    await strike({ status: 401 });
    const both = [account.keys.revoke(id), account.keys.revoke(id)].map(caught);
    expect(await Promise.all(both)).toMatchObject([{ status: 401 }, { status: 401 }]);
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await requests()).toEqual(["DELETE 401", "DELETE 200"]);
  });

  test("is repeated if the request could not be sent or was not carried out", async () => {
    const { account, plane, id, strike } = await startWithKey();
    await strike({ status: 503, count: 2 });
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await plane.liveKeys()).toEqual([]);
  });

  test("succeeds in the end if the answer is lost after the commit", async () => {
    const { account, plane, id, strike } = await startWithKey();
    await strike({ fault: "close", commit: "before" });
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await plane.liveKeys()).toEqual([]);
  });

  test("fails if every answer is lost and the key is still listed", async () => {
    const { account, id, strike, requests } = await startWithKey();
    await strike({ status: 500, count: 3, commit: "never" });
    expect(await caught(account.keys.revoke(id))).toMatchObject({ status: 500 });
    expect(await requests()).toEqual(["DELETE 500", "DELETE 500", "DELETE 500", "GET 200"]);
  });

  test("succeeds if every answer is lost and the key is no longer listed", async () => {
    const { account, id, strike } = await startWithKey();
    await strike({ status: 500, count: 3, commit: "before" });
    expect(await account.keys.revoke(id)).toBe("revoked");
  });

  test("fails if every answer is lost and no list has ever shown the key, because another one proves nothing", async () => {
    const { account, plane, id, strike } = await startWithKey();
    const lacking = (await account.keys.list()).filter((key) => key.id !== id);
    const body = lacking.map(({ name, createdAt, lastUsedAt, ...key }) => {
      return { id: Number(key.id), name, created_at: createdAt, last_used_at: lastUsedAt };
    });
    await plane.rules.add({ route: LIST, status: 200, body, count: null });
    await strike({ status: 500, count: 3, commit: "never" });
    expect(await caught(account.keys.revoke(id, { unlisted: true }))).toMatchObject({ status: 500 });
    expect(await account.keys.revoke(id, { unlisted: true })).toBe("revoked");
  });

  for (const status of [400, 404, 409, 410, 422]) {
    test(`treats ${status} as success only if a list does not contain the key`, async () => {
      const { account, plane, id, strike } = await startWithKey();
      await strike({ status, count: 2 });
      expect(await caught(account.keys.revoke(id))).toMatchObject({ status });
      await plane.state.revokeKey(id);
      expect(await account.keys.revoke(id)).toBe("absent");
    });
  }

  test.each([1, 3])(
    "looks again after 404 if %d lists still show the key, because a list can lag behind",
    async (stale) => {
      const { account, clock, plane, id, requests } = await startWithKey();
      const response = await fetch(`${plane.url}/api_keys`, { headers: { authorization: `Bearer ${plane.apiKey}` } });
      const before = await plane.count();
      await plane.rules.add({ route: LIST, status: 200, body: await response.json(), count: stale });
      await plane.state.revokeKey(id);
      expect(await account.keys.revoke(id)).toBe("absent");
      expect((await requests()).slice(before - 1)).toEqual(["DELETE 404", ...Array(stale + 1).fill("GET 200")]);
      expect(clock.sleeps).toEqual([500, 1000, 2000].slice(0, stale));
    },
  );

  test("fails after 404 if the list shows the key for good, and reads it once after any other refusal", async () => {
    const { account, plane, id, strike } = await startWithKey();
    const listsAfter = async (status: number) => {
      await strike({ status });
      const before = await plane.count("GET");
      expect(await caught(account.keys.revoke(id))).toMatchObject({ status });
      return (await plane.count("GET")) - before;
    };
    expect(await listsAfter(409)).toBe(1);
    expect(await listsAfter(404)).toBe(5);
  });

  test("throws an error that names both problems if the list is not available either", async () => {
    const { account, plane, id, strike } = await startWithKey();
    await strike({ status: 404 });
    await plane.rules.add({ route: LIST, status: 500, count: 3 });
    const error = await caught(account.keys.revoke(id));
    expect(error.message).toMatch(/DELETE .*404.*GET .*500/);
  });

  for (const patch of [{ revoked: false }, { id: 999_999 }]) {
    test(`throws an error if the answer says ${JSON.stringify(patch)}`, async () => {
      const { account, id, strike } = await startWithKey();
      await strike({ patch });
      expect(await caught(account.keys.revoke(id))).toMatchObject({ kind: "api", status: 200 });
    });
  }

  test("reads the list if the answer does not say whether the key is revoked", async () => {
    const { account, id, strike, requests } = await startWithKey();
    await strike({ omit: ["revoked"] });
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await requests()).toEqual(["DELETE 200", "GET 200"]);
  });

  test("succeeds if an earlier run has already revoked the key", async () => {
    const { account, plane, id } = await startWithKey();
    await plane.state.revokeKey(id);
    expect(await account.keys.revoke(id)).toBe("absent");
  });

  test("asks again after an id that no list has was not found, because a new key may appear later", async () => {
    const { account, plane, id, strike } = await startWithKey();
    await strike({ status: 404 });
    expect(await account.keys.revoke(id, { unlisted: true })).toBe("absent");
    expect(account.keys.hasRevoked(id)).toBe(false);
    expect(await account.keys.revoke(id)).toBe("revoked");
    expect(await plane.liveKeys()).toEqual([]);
  });

  test("fails with 401 even after a lost answer, because keyplane never revokes its own credential", async () => {
    const { account, id, strike } = await startWithKey();
    await strike({ fault: "reset" });
    await strike({ status: 401 });
    expect(await caught(account.keys.revoke(id))).toMatchObject({ kind: "auth" });
  });

  test("recognizes its own credential", () => {
    expect(settingOf({ apiKey: "mine" }, { key: "mine" })).toBe("keyplane:apiKey");
    expect(settingOf({ apiKey: "mine" }, { key: "minex" })).toBeUndefined();
  });

  test("recognizes the credentials of other accounts, each by the name of its setting", () => {
    const eu = ["keyplane:accounts.eu.apiKey", "the-credential-of-eu"] as const;
    const settings = { account: "us", apiKey: "mine", credentials: [eu] };
    expect(settingOf(settings, { key: eu[1] })).toBe(eu[0]);
    expect(settingOf(settings, { key: "mine" })).toBe("keyplane:accounts.us.apiKey");
    expect(settingOf(settings, { key: "a-key-like-any-other" })).toBeUndefined();
  });

  for (const id of ["", "0", "-1", "1.5", "01", "1e3", "../projects", "9223372036854775808", "1/2", " 1"]) {
    test(`refuses the id ${JSON.stringify(id)} before anything is sent`, async () => {
      const { account, plane } = await startAccount();
      expect(await caught(account.keys.revoke(id))).toMatchObject({ kind: "input" });
      expect(await plane.count()).toBe(0);
    });
  }
});
