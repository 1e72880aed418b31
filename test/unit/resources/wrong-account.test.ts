import { beforeEach, describe, expect, it } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { accountIn } from "../../../provider/keys/account-fingerprint";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { Settings } from "../../../provider/settings/settings";
import { deliveredLongAgo, failureOf, json, type Made, previousOf, StackHarness } from "./harness";

let home: StackHarness;
let away: StackHarness;
let key: Made;

beforeEach(async () => {
  [home, away] = await Promise.all([StackHarness.start(), StackHarness.start()]);
  key = await home.createKey();
  // It has the same id as the key at home.
  await away.plane.state.createKey("somebody-elses");
});

/** Checks that a verb is refused and sends nothing except a list. */
async function refused(verb: () => Promise<unknown>, harness = away): Promise<void> {
  const sent = (await harness.plane.log()).length;
  expect((await failureOf(verb())).message).toMatch(/the account that they now lead to has no key of this stack/);
  expect((await harness.requests(sent)).filter((request) => request !== "GET /api_keys")).toEqual([]);
}

const ownerOf = (harness: StackHarness): Properties => ({ project: "p", stack: "dev", identity: harness.identity });
const ledgerOf = (harness: StackHarness, told: Properties = {}): Properties => ({
  owner: harness.identity,
  owned: [],
  ...told,
});

/** Another credential of the home account. */
async function otherCredential(context: Partial<StackHarness["context"]> = {}): Promise<StackHarness> {
  const admin = await home.plane.state.createKey("the-next-admin");
  return home.beside({ apiKey: admin.key, context });
}

describe("in an account that is not proven to contain the stack's keys", () => {
  it.each([
    ["ApiKey", resourceTypes.ApiKey],
    ["RotatingApiKey", resourceTypes.RotatingApiKey],
  ])("no %s is created, even if a run with --target leaves out its owner", (_, kind) =>
    refused(() => kind.create({ owner: home.identity }, away.context)),
  );

  it("no key is adopted", () => {
    const adopt = { id: key.id, key: "kp_somebodys" };
    return refused(() => resourceTypes.RotatingApiKey.create({ owner: home.identity, adopt }, away.context));
  });

  it("no key is updated, and its pending revocations are kept", async () => {
    const pendingRevocations = [key.id];
    const inputs = { owner: home.identity };
    await refused(() =>
      resourceTypes.ApiKey.update(key.id, json({ ...key.outputs, pendingRevocations }), inputs, away.context),
    );
    const { outputs } = await resourceTypes.RotatingApiKey.create(inputs, home.context);
    await refused(() =>
      resourceTypes.RotatingApiKey.update("id", json({ ...outputs, pendingRevocations }), inputs, away.context),
    );
  });

  it("no key is read, which would forget it", async () => {
    await refused(() => away.readKey(key));
    const { outputs } = await resourceTypes.RotatingApiKey.create({ owner: home.identity }, home.context);
    await refused(() => resourceTypes.RotatingApiKey.read("id", outputs, away.context));
  });

  it("no lost request is forgotten", async () => {
    const lost = { lostNames: ["ci-aaaaaaaa-bbbbbbbb"], lostAt: "2020-01-01T00:00:00.000Z", owner: home.identity };
    await refused(() => resourceTypes.ApiKey.delete("ci-aaaaaaaa-bbbbbbbb", lost, away.context));
    await refused(() => resourceTypes.RotatingApiKey.delete("id", lost, away.context));
  });

  it.each([true, false])("no key is deleted, with revokeOnDelete: %s", async (revokeOnDelete) => {
    const inputs = { owner: home.identity, revokeOnDelete };
    await refused(() => away.deleteKey({ ...key, outputs: { ...key.outputs, revokeOnDelete } }));
    const { outputs } = await resourceTypes.RotatingApiKey.create(inputs, home.context);
    await refused(() => resourceTypes.RotatingApiKey.delete("id", outputs, away.context));
  });

  it("an exact name proves nothing, even if a key created at the same moment has the same id and name there", async () => {
    const exact = await home.createKey({ name: "exact" });
    const theirs = await away.plane.state.createKey("exact");
    expect(String(theirs.id)).toBe(exact.id);
    await refused(() => away.deleteKey(exact));
    await refused(() => away.readKey(exact));
    expect(await away.liveIds()).toContain(exact.id);
  });

  it("the owner is neither refreshed, updated nor deleted", async () => {
    const outputs = ownerOf(home);
    await refused(() => resourceTypes.Owner.read(home.owner, outputs, away.context));
    await refused(() => resourceTypes.Owner.update(home.owner, outputs, outputs, away.context));
    await refused(() => resourceTypes.Owner.delete(home.owner, outputs, away.context));
  });

  it("an owner of version 0.1, which recorded no account, is also refused", async () => {
    const { identity, ...outputs } = ownerOf(home);
    await refused(() => resourceTypes.Owner.update(home.owner, outputs, outputs, away.context));
    expect(await resourceTypes.Owner.update(home.owner, outputs, outputs, home.context)).toEqual({
      ...outputs,
      identity,
    });
  });

  it("the ledger is neither created, refreshed, updated nor deleted", async () => {
    const before = ledgerOf(home, { owned: [key.id], unrevoked: [key.id] });
    await refused(() => resourceTypes.Ledger.create(before, away.context));
    await refused(() => resourceTypes.Ledger.read("ledger", before, away.context));
    await refused(() => resourceTypes.Ledger.update("ledger", before, ledgerOf(home), away.context));
    await refused(() => resourceTypes.Ledger.delete("ledger", before, away.context));
  });
});

describe("the owner", () => {
  it("is recorded only with a working credential", async () => {
    const mistyped = home.beside({ apiKey: "kp_mistyped" });
    expect((await failureOf(resourceTypes.Owner.create({}, mistyped.context))).message).toContain("401");
  });

  it("needs an update under another credential, which a preview shows and a refresh does not report as drift", () => {
    const terms = { now: 0, accountMark: away.context.accountMark };
    const { identity, ...inputs } = ownerOf(home);
    const changed = diff(resourceTypes.Owner, json({ ...inputs, identity }), inputs, {
      ...terms,
      driftOnly: false,
      hasLedger: true,
    });
    expect(changed).toMatchObject({
      changes: true,
      replaces: [],
      reasons: [expect.stringMatching(/^the credential or the address changed/)],
    });
    expect(
      diff(resourceTypes.Owner, json({ ...inputs, identity }), inputs, { ...terms, driftOnly: true, hasLedger: true })
        .changes,
    ).toBe(false);
    const same = { now: 0, accountMark: home.context.accountMark, driftOnly: false, hasLedger: true };
    expect(diff(resourceTypes.Owner, json({ ...inputs, identity }), inputs, same).changes).toBe(false);
    const older = home.identity.replace(/\.\w+$/, "");
    const silent = { changes: true, replaces: [], reasons: [] };
    expect(diff(resourceTypes.Owner, { ...inputs, identity: older }, inputs, same)).toMatchObject(silent);
  });
});

describe("another credential of the same account", () => {
  it("is proven by one list for a whole run, even after the last key of the stack is revoked", async () => {
    const exact = await home.createKey({ name: "exact" });
    const later = await otherCredential();
    const sent = (await home.plane.log()).length;
    await later.deleteKey(key);
    await later.deleteKey(exact);
    await resourceTypes.Owner.delete(home.owner, ownerOf(home), later.context);
    const [list, del] = ["GET /api_keys", "DELETE /api_keys/{key_id}"];
    expect(await home.requests(sent)).toEqual([list, del, del]);
  });

  it("is proven by the owner for a key that left the program", async () => {
    await home.plane.state.revokeKey(key.id);
    const later = await otherCredential();
    await refused(() => later.deleteKey(key), home);
    later.context.run.owner = later.identity;
    await later.deleteKey(key);
  });

  it("is proven in a destroy by what a later `up` recorded", async () => {
    await home.plane.state.revokeKey(key.id);
    const later = await otherCredential();
    await resourceTypes.Ledger.delete("ledger", ledgerOf(later), later.context);
    await later.deleteKey(key);
  });

  it("is accepted after the user confirms it if all keys are gone, and no other account is accepted", async () => {
    await home.plane.state.revokeKey(key.id);
    const later = await otherCredential();
    await refused(() => resourceTypes.Owner.update(home.owner, ownerOf(home), ownerOf(home), later.context), home);
    const settings = (confirmedAccounts: readonly string[]) =>
      new Settings({ ...later.context.settings(), confirmedAccounts });
    const confirmed = await otherCredential();
    const context = {
      ...confirmed.context,
      settings: () => settings([accountIn(confirmed.context.accountMark()) ?? ""]),
    };
    const outputs = await resourceTypes.Owner.update(home.owner, ownerOf(home), ownerOf(home), context);
    expect(outputs.identity).toBe(confirmed.identity);
    const other = { ...away.context, settings: () => settings([accountIn(confirmed.context.accountMark()) ?? ""]) };
    await refused(() => resourceTypes.Owner.update(home.owner, ownerOf(home), ownerOf(home), other));
  });

  it("does not make an id without a name a key of the owner", async () => {
    const stranger = await home.plane.state.createKey("somebody-elses");
    const id = `${stranger.id}`;
    const before = ledgerOf(home, { unrevoked: [id], compromised: [id] });
    const failure = await failureOf(resourceTypes.Ledger.update("ledger", before, ledgerOf(home), home.context));
    expect(failure.message).toContain(`key ${id}, which revokeNow names, could not be revoked`);
    const news = ledgerOf(home, { previous: previousOf(id, "1", true) });
    const deliveries = deliveredLongAgo(id, "1");
    expect(await home.endRun(news, { ...news, deliveries })).toMatchObject({ deliveries });
    expect(home.told.warn.join()).toContain("this stack recorded it as one of its own");
    expect(await home.liveIds()).toContain(id);
  });
});

describe("a copied state", () => {
  it("leaves the ids that its ledger has to revoke to the original, and also names that do not show an owner", async () => {
    const copy = home.beside({ owner: "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22" });
    const adopted = await home.plane.state.createKey("by-hand");
    const id = `${adopted.id}`;
    const told = { compromised: [id, key.id], untagged: { [id]: "by-hand" } };
    const before = { ...ledgerOf(home, told), compromised: [id], unrevoked: [id] };
    const outputs = await copy.endRun({ ...ledgerOf(copy), ...told }, before);
    expect(outputs).not.toHaveProperty("unrevoked");
    expect(await home.liveIds()).toEqual([key.id, id]);
  });

  it("gets an owner of its own, even in another organization of the backend, but not through an upgrade from version 0.1", () => {
    const { identity, ...named } = ownerOf(home);
    const inputs = { ...named, organization: "acme" };
    const terms = { now: 0, accountMark: home.context.accountMark, driftOnly: false, hasLedger: true };
    const differ = (organization: string | undefined) =>
      diff(resourceTypes.Owner, json({ ...inputs, identity, organization }), json(inputs), terms).replaces;
    expect([differ("acme"), differ("another"), differ(undefined)]).toEqual([[], ["stack"], []]);
  });
});

describe("an ApiKey", () => {
  it("stores its triggers only as a digest", async () => {
    const { outputs } = await home.createKey({ rotationTriggers: { quarter: "hush" } });
    expect(outputs).toHaveProperty("triggersDigest");
    expect(JSON.stringify(outputs)).not.toContain("hush");
  });
});
