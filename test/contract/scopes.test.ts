import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../../testing";
import { HostUnderTest } from "./host-harness";

const ORGANIZATION = "org-local-1";

let eu: ControlPlane;
let host: HostUnderTest;

/** A host in which only the account `eu` is configured. */
const start = async (config: Record<string, string> = {}, env: NodeJS.ProcessEnv = {}) => {
  const accounts = JSON.stringify({ eu: { baseUrl: eu.url, apiKey: eu.apiKey } });
  host = await HostUnderTest.start({ "keyplane:accounts": accounts, ...config }, env);
};

beforeEach(async () => {
  eu = await startControlPlane();
});

afterEach(async () => {
  await host.stop();
  await eu.close();
});

describe("a resource of a named account in Pulumi's dynamic host", () => {
  test("works without keyplane:apiKey for the whole life of a key", async () => {
    await start();
    const place = { account: "eu", organizationId: ORGANIZATION };
    const { inputs, failures } = await host.check("ApiKey", {}, { ...place });
    expect(failures).toEqual([]);
    const { id, outputs } = await host.create("ApiKey", inputs);
    expect(await eu.liveKeys()).toMatchObject([{ id: Number(id), organizationId: ORGANIZATION }]);
    expect((await host.read(id, outputs)).id).toBe(id);
    await host.delete(id, outputs);
    expect(await eu.liveKeys()).toEqual([]);
    expect((await host.read(id, outputs)).id).toBe("");
  });

  test.each([
    ["ApiKey", {}],
    ["RotatingApiKey", {}],
    ["ProjectReady", { projectId: "quiet-shore-123456" }],
  ])(
    "is refused in the check of %s if its account is not configured, and the error names the accounts that are",
    async (kind, inputs) => {
      await start();
      const { failures } = await host.check(kind, {}, { ...inputs, account: "us" });
      expect(failures).toEqual([
        expect.stringMatching(/^account: keyplane:accounts has no account "us" \(configured are eu\)\. Correct/),
      ]);
    },
  );

  test("never shows the key of an account, even if the service repeats it", async () => {
    const other = "another-credential-0123456789";
    const accounts = { eu: { baseUrl: eu.url, apiKey: eu.apiKey }, us: { baseUrl: eu.url, apiKey: other } };
    await start({ "keyplane:accounts": JSON.stringify(accounts), "keyplane:apiKey": "the-first-credential" });
    await eu.rules.add({ route: "*", status: 400, body: { message: `${other}, the-first-credential, ${eu.apiKey}` } });
    const failure = await host.create("ApiKey", { account: "eu" }).catch((error: Error) => error.message);
    expect(failure).toContain("[secret], [secret], kp_[secret]");
  });

  test("shows once in the diagnostics that the service does not say the scope of its new keys", async () => {
    await start();
    const { id: projectId } = await eu.state.createProject();
    await eu.state.switch({ projectKeys: "unsaid" });
    for (const _ of [1, 2]) {
      await host.create("ApiKey", { account: "eu", organizationId: ORGANIZATION, projectId });
    }
    const shown = host.logged.filter(({ message, ephemeral }) => !ephemeral && message.includes("projectId"));
    expect(shown).toHaveLength(1);
  });

  test("finds its account in KEYPLANE_ACCOUNTS in the environment", async () => {
    const KEYPLANE_ACCOUNTS = JSON.stringify({ eu: { apiKey: eu.apiKey } });
    host = await HostUnderTest.start({}, { KEYPLANE_ACCOUNTS, KEYPLANE_BASE_URL: eu.url });
    expect((await host.create("ApiKey", { account: "eu" })).id).toMatch(/^\d+$/);
  });
});

describe("resources of two scopes in Pulumi's dynamic host", () => {
  test("are replaced if any part of their scope changes", async () => {
    await start();
    const olds = { account: "eu", organizationId: ORGANIZATION, projectId: "p1", keyId: "7", name: "ci" };
    for (const kind of ["ApiKey", "RotatingApiKey"]) {
      for (const field of ["account", "organizationId", "projectId"] as const) {
        for (const value of ["other", undefined]) {
          const news = { ...olds, keyId: undefined, name: undefined, [field]: value };
          const inputs = JSON.parse(JSON.stringify(news));
          expect((await host.diff(kind, "7", olds, inputs)).replaces, `${kind} ${field}`).toContain(field);
        }
      }
    }
  });
});
