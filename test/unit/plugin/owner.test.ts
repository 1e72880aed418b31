import { describe, expect, it } from "vitest";
import { identityOfResource, isOfStack, ownerOfKey, ownerOfProvider } from "../../../provider/plugin/owner";

const ID = "3b241101-e2bb-4255-8caf-4136c566a962";
const OTHER = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
const PROVIDER = "urn:pulumi:dev::proj::pulumi:providers:keyplane::default";
const urnOf = (stack: string, name = "ci", project = "proj") =>
  `urn:pulumi:${stack}::${project}::keyplane:index:ApiKey::${name}`;
const KEY = urnOf("dev");
/** The end of an identity with a URN. */
const at = (urn: string) => `|${Buffer.from(urn).toString("base64url")}`;

const account = (mark: string, confirmedAccounts: readonly string[] = []) => ({
  mark,
  settings: { confirmedAccounts },
});

describe("the owner of a provider resource", () => {
  const fresh = new RegExp(`^(?!${ID})[0-9a-f-]{36}\\.here\\.home${at(PROVIDER).replace("|", "\\|")}$`);

  it.each([undefined, "", 7, `${ID}.here`, `${ID}.here${at(PROVIDER.replace("dev", "prod"))}`])(
    "is new if the state has %j, which is none of this stack",
    (before) => {
      expect(ownerOfProvider(PROVIDER, before, account("here.home"), { renamedFrom: [] })).toMatch(fresh);
    },
  );

  it("keeps its id in the same stack, also for a provider with another name", () => {
    const before = `${ID}.here${at(`${PROVIDER}-1`)}`;
    expect(ownerOfProvider(PROVIDER, before, account("here.home"), { renamedFrom: [] })).toBe(
      `${ID}.here.home${at(PROVIDER)}`,
    );
  });

  it.each<[string, string, string | undefined, readonly string[], string]>([
    ["keeps its account under another credential", ".here.home", "there.home", [], ".here.home"],
    ["keeps its account while the account is unknown", ".here.home", undefined, [], ".here.home"],
    ["takes an account that the user confirms", ".here.home", "there.away", ["there"], ".there.away"],
    ["keeps its address until the user confirms another one", ".here.home", "there.away", ["other"], ".here.home"],
    [
      "takes an address that the user confirms, which does not prove the account",
      ".here.home",
      "there.away",
      ["away"],
      ".here.away",
    ],
    ["takes the first address if an older version recorded none", ".here", "here.home", [], ".here.home"],
    ["stays without an account if it was made before the settings were known", "", "here.home", [], ""],
  ])("%s", (_, before, here, confirmed, expected) => {
    const identity = `${ID}${before}${at(PROVIDER)}`;
    const settings = here === undefined ? undefined : account(here, confirmed);
    expect(ownerOfProvider(PROVIDER, identity, settings, { renamedFrom: [] })).toBe(`${ID}${expected}${at(PROVIDER)}`);
  });
});

it("the owner of a provider resource keeps its id if the settings name the stack's former name", () => {
  const before = `${ID}.here${at(PROVIDER.replace("dev", "old"))}`;
  expect(ownerOfProvider(PROVIDER, before, account("here.home"), { renamedFrom: ["old"] })).toBe(
    `${ID}.here.home${at(PROVIDER)}`,
  );
  expect(ownerOfProvider(PROVIDER, before, account("here.home"), { renamedFrom: ["older"] })).not.toContain(ID);
});

it("the owner of a key is kept if the settings name the stack's former name, also from the dynamic provider", () => {
  const ofProvider = `${OTHER}.here${at(PROVIDER)}`;
  const state = { before: `${ID}${at(urnOf("old"))}`, urnBefore: undefined };
  expect(ownerOfKey(KEY, state, ofProvider, ["old"])).toBe(`${ID}${at(KEY)}`);
  expect(ownerOfKey(KEY, { before: ID, urnBefore: urnOf("old") }, ofProvider, ["old"])).toBe(`${ID}${at(KEY)}`);
  expect(ownerOfKey(KEY, state, ofProvider, ["proj/older", "other/old"])).toBe(`${OTHER}${at(KEY)}`);
});

describe("the owner of a key", () => {
  const ofProvider = `${OTHER}.here${at(PROVIDER)}`;

  it.each<[string, unknown, unknown, string]>([
    ["is that of the provider for a new key", undefined, undefined, OTHER],
    ["is kept in the same stack, whatever the provider", `${ID}${at(KEY)}`, undefined, ID],
    ["is kept under another name", `${ID}${at(urnOf("dev", "old"))}`, undefined, ID],
    ["is kept from outputs, which also contain the account", `${ID}.here${at(KEY)}`, undefined, ID],
    ["is new in another stack", `${ID}${at(urnOf("prod"))}`, undefined, OTHER],
    ["is new in another project", `${ID}${at(urnOf("dev", "ci", "other"))}`, undefined, OTHER],
    ["is kept from the dynamic provider", `${ID}.here`, urnOf("dev"), ID],
    ["is new in a copy of a state of the dynamic provider", `${ID}.here`, urnOf("prod"), OTHER],
    ["is new if a state does not show its stack", `${ID}.here`, undefined, OTHER],
  ])("%s", (_, before, urnBefore, expected) => {
    expect(ownerOfKey(KEY, { before, urnBefore }, ofProvider, [])).toBe(`${expected}${at(KEY)}`);
  });
});

describe("the identity of a key", () => {
  const owner = `${ID}${at(KEY)}`;

  it.each<[string, unknown, unknown, string, string]>([
    ["has the account in which it was recorded", `${ID}.there${at(KEY)}`, undefined, `${ID}.here`, ".there"],
    ["has no account if none was recorded for it", ID, undefined, `${ID}.here`, ""],
    ["has the account of the provider if it is new", undefined, undefined, `${OTHER}.here`, ".here"],
    ["has the account of the provider in a copied stack", `${OTHER}.there|x`, undefined, `${OTHER}.here`, ".here"],
    ["of an organization has no account if it is new", undefined, "org-1", `${OTHER}.here`, ""],
    [
      "of an organization has the one in which it was recorded",
      `${ID}.there${at(KEY)}`,
      "org-1",
      `${ID}.here`,
      ".there",
    ],
  ])("%s", (_, recorded, organizationId, ofProvider, expected) => {
    expect(identityOfResource(owner, recorded, organizationId, ofProvider)).toBe(`${ID}${expected}${at(KEY)}`);
  });
});

it("an identity is not turned into one of a copy by a replacement of its stack's name", () => {
  const before = `${ID}.here${at(PROVIDER)}`;
  expect(before.replaceAll("dev", "copy").replaceAll("proj", "other")).toBe(before);
});

it("an identity belongs to a stack only if its URN has the same stack and project", () => {
  expect(isOfStack(`${ID}${at(urnOf("dev", "other"))}`, KEY, [])).toBe(true);
  for (const urn of [urnOf("prod"), urnOf("dev", "ci", "other")])
    expect(isOfStack(`${ID}${at(urn)}`, KEY, [])).toBe(false);
  for (const none of [ID, `${ID}.here`, undefined, null, {}]) expect(isOfStack(none, KEY, [])).toBe(false);
});
