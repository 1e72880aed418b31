import { describe, expect, it, vi } from "vitest";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { accountMark, originFingerprint } from "../../../provider/keys/account-fingerprint";
import { identityOf } from "../../../provider/keys/identity";
import { type Properties, readOutputs } from "../../../provider/schema/outputs";
import { compareResource } from "../../../provider/session/compare-resource";
import { Session } from "../../../provider/session/session";
import { runVerb, type Verb } from "../../../provider/session/verb";
import { StackHarness } from "../resources/harness";

const HOME = { baseUrl: "https://home.test/api/v2", apiKey: "kp_the_admin_key" };
const AWAY = { ...HOME, baseUrl: "https://away.test/api/v2" };
const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";
const OTHER = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";
const URN = "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci";
const [home, away] = [HOME, AWAY].map((place) => identityOf(OWNER, accountMark(place)));
const elsewhere = identityOf(OTHER, accountMark(AWAY));
const own = { account: undefined, organizationId: undefined };

const REFUSED = {
  code: "KP-WRONG-ACCOUNT",
  message: expect.stringMatching(/^keyplane:baseUrl now leads to https:\/\/away\.test, .*keyplane:apiKey/),
};

/** A process that is configured for the new address, and has no engine. */
class AwaySession extends Session {
  constructor(settings: Readonly<Record<string, string>> = {}) {
    super(() => {
      throw new Error("no message is sent");
    });
    const config: Readonly<Record<string, string>> = { ...AWAY, ...settings };
    this.configure((name) => config[name]);
  }

  override watch(): void {}
}

/** Why the credential is not sent, after the process has seen states with some identities. */
function refusalAfter(identities: readonly unknown[], settings: Readonly<Record<string, string>> = {}): unknown {
  const session = new AwaySession(settings);
  for (const owner of identities) session.noteRecorded(readOutputs({ owner }));
  return session.refusedOrigin(own);
}

describe("the credential", () => {
  it.each<[string, readonly unknown[]]>([
    ["nothing is recorded", []],
    ["an older version recorded no address", [identityOf(OWNER, "abcdefghijkl"), OWNER, undefined, 7]],
    ["this address is recorded", [away]],
    ["another resource of the same owner has already moved", [home, away]],
  ])("is sent if %s", (_, identities) => {
    expect(refusalAfter(identities)).toBeUndefined();
  });

  it.each<[string, readonly unknown[]]>([
    ["another address is recorded", [home]],
    ["only a new owner, of another provider, has this address", [home, elsewhere]],
  ])("is not sent if %s", (_, identities) => {
    expect(refusalAfter(identities)).toMatchObject(REFUSED);
  });

  it("is sent after a confirmation of the address or of the account, and after no other one", () => {
    const fingerprint = originFingerprint(AWAY.baseUrl);
    const [account = ""] = accountMark(AWAY).split(".");
    expect(refusalAfter([home])).toMatchObject({ message: expect.stringMatching(new RegExp(`=${fingerprint}$`)) });
    for (const confirmAccount of [fingerprint, account, `${account},abcdefghijkl`]) {
      expect(refusalAfter([home], { confirmAccount })).toBeUndefined();
    }
    for (const confirmAccount of ["abcdefghijkl", originFingerprint(HOME.baseUrl)]) {
      expect(refusalAfter([home], { confirmAccount })).toMatchObject(REFUSED);
    }
  });

  it("of a named account is not sent either, whose setting the message names, and other accounts go on", () => {
    const session = new AwaySession({ accounts: JSON.stringify({ eu: AWAY }) });
    session.noteRecorded({ account: "eu", owner: home });
    expect(session.refusedOrigin(own)).toBeUndefined();
    expect(() => session.account({ account: "eu", organizationId: "org-1" })).toThrow(
      /^keyplane:accounts\.eu\.baseUrl now leads to .* would contain keyplane:accounts\.eu\.apiKey/,
    );
  });
});

describe("a verb", () => {
  const verb = (name: Verb["name"], values: Properties, session = new AwaySession()) =>
    runVerb(session, { type: resourceTypes.ApiKey, name, urn: URN, values }, async (context) => {
      if (session.refusedOrigin(own) !== undefined) context.keys();
      return "sent";
    });

  it.each(["diff", "read", "update", "delete"] as const)("%s knows the address in the state", async (name) => {
    await expect(verb(name, { owner: home })).rejects.toThrow("[KP-WRONG-ACCOUNT]");
    await expect(verb(name, { identity: home })).rejects.toThrow("[KP-WRONG-ACCOUNT]");
    await expect(verb(name, { owner: away })).resolves.toBe("sent");
  });

  it("of a resource without an owner is refused if another resource's state has shown the address", async () => {
    const session = new AwaySession();
    await expect(verb("create", { projectId: "p" }, session)).resolves.toBe("sent");
    session.noteRecorded({ owner: home });
    await expect(verb("create", { projectId: "p" }, session)).rejects.toThrow("[KP-WRONG-ACCOUNT]");
  });
});

it("a key that the npm package creates without its owner knows the owner's address from its inputs", async () => {
  vi.stubEnv("KEYPLANE_BASE_URL", AWAY.baseUrl);
  vi.stubEnv("KEYPLANE_API_KEY", AWAY.apiKey);
  // The session of the npm package reads its settings once. Another test in this process must not get these.
  vi.resetModules();
  try {
    const { adapt } = await import("../../../provider/dynamic/adapter.js");
    await expect(adapt(resourceTypes.ApiKey).create({ owner: home, resourceUrn: URN })).rejects.toThrow(
      /now leads to https:\/\/away\.test.*\[KP-WRONG-ACCOUNT\]/,
    );
  } finally {
    vi.resetModules();
    vi.unstubAllEnvs();
  }
});

describe("a preview", () => {
  it("says once that the address is new, and does not ask for it in a refresh", async () => {
    const { context, told } = await StackHarness.start();
    const [session, account] = [new AwaySession(), vi.spyOn(AwaySession.prototype, "account")];
    session.noteRecorded({ owner: home });
    const of = { type: resourceTypes.ApiKey, id: "1", outputs: {} };
    const compare = () => compareResource(session, { ...of, inputs: { owner: home } }, context);
    session.noteRead("1", context.urn);
    compare();
    expect(told.warn).toEqual([]);
    compare();
    compare();
    expect(told.warn).toEqual([
      "keyplane:baseUrl now leads to https://away.test, but this stack recorded another address. `pulumi up` refuses " +
        "requests to it, and says what to do [KP-WRONG-ACCOUNT]",
    ]);
    expect(account).not.toHaveBeenCalled();
  });
});
