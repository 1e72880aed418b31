import { beforeAll, describe, expect, test, vi } from "vitest";
import { keyDigest } from "../../../provider/key-digest";
import type { Members } from "../../../provider/members";
import { codeOf, key, rotating, TestStack } from "../../engineless/test-stack";
import { DELETE, LIST, POST, PROJECTS } from "../../routes";
import { DAY, SECOND } from "../../times";
import { AgeReader, controller, GitHubReader, RsaReader, vector } from "../seal/opener";

const github = new GitHubReader();
let ann: AgeReader;
let bob: AgeReader;

beforeAll(async () => {
  [ann, bob] = await Promise.all([AgeReader.create(), AgeReader.create()]);
});

/** The key that a recipient opens. Checks that no output has it. */
async function opened(outputs: Members, reader = ann, name = "sealedKey"): Promise<string> {
  const secret = await reader.open((outputs[name] as { age: string }).age);
  expect(secret).toMatch(/^kp_/);
  expect(JSON.stringify(outputs)).not.toContain(secret);
  return secret;
}

const kms = new RsaReader();
const inShop = { certificate: vector("controller.crt"), namespace: "shop", name: "api-key" };

/** What a controller and a service open in an output. */
function openedByBoth(sealed: unknown, label = "shop/api-key"): readonly string[] {
  const { kubernetes, rsa } = sealed as { readonly kubernetes: string; readonly rsa: readonly string[] };
  return [controller.open(kubernetes, label), ...rsa.map((text) => kms.open(text))];
}

const toAnn = () => ({ sealTo: { age: [ann.recipient] } });

describe("a sealed ApiKey", () => {
  test("records what its recipients can open instead of the secret, with the requests of any other key", async () => {
    const stack = await TestStack.start();
    const sealTo = { age: [ann.recipient, bob.recipient], githubActions: { key: github.key } };
    expect((await stack.up({ ci: key({ sealTo }) })).requests).toEqual([LIST, POST]);
    const secret = await opened(stack.outputs());
    expect(await opened(stack.outputs(), bob)).toBe(secret);
    expect(github.open((stack.outputs().sealedKey as { githubActions: string }).githubActions as never)).toBe(secret);
    expect(stack.outputs().digest).toBe(keyDigest(secret));
    const swapped = { ...sealTo, age: [bob.recipient, ann.recipient] };
    expect((await stack.up({ ci: key({ sealTo: swapped }) })).steps.ci).toBe("same");
    await stack.refresh();
    expect(await opened(stack.outputs())).toBe(secret);
  });

  test("is replaced if its recipients change", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(toAnn()) });
    expect((await stack.up({ ci: key({ sealTo: { age: [bob.recipient] } }) })).steps.ci).toBe("replace");
    await opened(stack.outputs(), bob);
    expect((await stack.up({ ci: key() })).steps.ci).toBe("replace");
    expect(stack.outputs().key).toMatch(/^kp_/);
    expect(await stack.live()).toHaveLength(1);
  });

  test("is opened by a controller of Sealed Secrets and by each key for RSA, whatever else is renewed", async () => {
    const stack = await TestStack.start();
    const sealTo = { kubernetes: inShop, rsa: [kms.pem, kms.pem] };
    expect((await stack.up({ ci: key({ sealTo }) })).requests).toEqual([LIST, POST]);
    const [secret = "", ...others] = openedByBoth(stack.outputs().sealedKey);
    expect(others).toEqual([secret, secret]);
    expect(stack.outputs().digest).toBe(keyDigest(secret));
    const renewed = { ...sealTo, kubernetes: { ...inShop, certificate: vector("renewed.crt") } };
    expect((await stack.up({ ci: key({ sealTo: renewed }) })).steps.ci).toBe("same");
    const moved = { ...sealTo, kubernetes: { ...inShop, namespace: "other" } };
    expect((await stack.up({ ci: key({ sealTo: moved }) })).steps.ci).toBe("replace");
    expect(openedByBoth(stack.outputs().sealedKey, "other/api-key")[0]).not.toBe(secret);
  });

  test.each([
    ["ApiKey", key],
    ["RotatingApiKey", rotating],
  ])("%s stays when its certificate expires, and only its next key needs another one", async (_, declared) => {
    const stack = await TestStack.start();
    const program = (run: number, certificate = inShop.certificate) => ({
      ci: declared({ sealTo: { kubernetes: { ...inShop, certificate } }, rotationTriggers: { run } }),
    });
    await stack.up(program(1));
    await stack.clock.pass(20 * 365 * DAY);
    expect(codeOf(await stack.preview({ new: program(1).ci }), "new")).toBe("KP-SEAL");
    const unchanged = await stack.up(program(1));
    expect([unchanged.steps, unchanged.errors, unchanged.requests]).toEqual([{ ci: "same" }, {}, []]);
    expect(unchanged.warn).toEqual([expect.stringContaining("expired")]);
    const failed = await stack.up(program(2));
    expect(codeOf(failed)).toBe("KP-SEAL");
    expect(failed.requests).not.toContain(POST);
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
    const { errors, warn } = await stack.up(program(2, vector("renewed.crt")));
    expect([errors, warn]).toEqual([{}, []]);
    expect((await stack.destroy()).errors).toEqual({});
    expect(await stack.live()).toEqual([]);
  });

  test("fails in the preview for an invalid recipient, and before the POST if nothing can be sealed", async () => {
    const stack = await TestStack.start();
    const wrong = await stack.preview({ ci: key({ sealTo: { age: [ann.recipient.slice(0, -1)] } }) });
    expect(codeOf(wrong)).toBe("KP-SEAL");
    const encrypt = vi.spyOn((await import("age-encryption")).Encrypter.prototype, "encrypt");
    encrypt.mockRejectedValueOnce(new Error("a file is missing"));
    const other = await AgeReader.create();
    const run = await stack.up({ ci: key({ sealTo: { age: [other.recipient] } }) });
    expect(codeOf(run)).toBe("KP-SEAL");
    expect(await stack.live()).toEqual([]);
    encrypt.mockRestore();
  });

  test("that cannot be sealed after all is revoked at once, or on record to be revoked", async () => {
    const stack = await TestStack.start();
    const other = await AgeReader.create();
    const encrypt = vi.spyOn((await import("age-encryption")).Encrypter.prototype, "encrypt");
    // The first text is a trial.
    encrypt.mockRejectedValue(new Error("out of memory")).mockResolvedValueOnce(new Uint8Array() as never);
    const program = { ci: key({ sealTo: { age: [other.recipient] } }) };
    expect(codeOf(await stack.up(program))).toBe("KP-SEAL");
    expect(await stack.live()).toEqual([]);
    expect(stack.resources).toEqual([]);
    await stack.plane.rules.add({ route: DELETE, status: 403, count: 1 });
    await stack.up(program);
    expect(stack.outputs()).toMatchObject({ pendingRevocations: await stack.live() });
    expect(JSON.stringify(stack.outputs())).not.toContain("kp_");
    encrypt.mockRestore();
    expect((await stack.up(program)).errors).toEqual({});
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("is replaced if its own run cannot verify it, because no other run has the secret", async () => {
    const stack = await TestStack.start();
    await stack.plane.rules.add({ route: PROJECTS, status: 500, count: null });
    const program = { ci: key({ ...toAnn(), verify: true }) };
    expect(codeOf(await stack.up(program))).toBe("KP-NOT-READY");
    await stack.plane.rules.clear();
    expect(await stack.up(program)).toMatchObject({ steps: { ci: "replace" }, succeeded: true });
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("is not revoked if keyplane authenticates with it, as its digest shows", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: key(toAnn()) });
    stack.settings = { ...stack.settings, apiKey: await opened(stack.outputs()) };
    expect(codeOf(await stack.destroy())).toBe("KP-OWN-CREDENTIAL");
    expect(await stack.live()).toHaveLength(1);
  });
});

describe("a sealed RotatingApiKey", () => {
  test("keeps the previous sealed key for its grace, and has no secret at any time", async () => {
    const stack = await TestStack.start();
    const program = (run: number) => ({ ci: rotating({ ...toAnn(), rotationTriggers: { run } }) });
    await stack.up(program(1));
    const first = await opened(stack.outputs());
    await stack.up(program(2));
    expect(await opened(stack.outputs(), ann, "previousSealedKey")).toBe(first);
    expect(await opened(stack.outputs())).not.toBe(first);
    expect(stack.outputs().previousDigest).toBe(keyDigest(first));
    expect((await stack.up(program(2))).steps.ci).toBe("same");
    await stack.clock.pass(DAY + SECOND);
    await stack.up(program(2));
    expect(await stack.live()).toEqual([stack.outputs().keyId]);
  });

  test("keeps the previous key for the controller that it was sealed for", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating({ sealTo: { kubernetes: inShop, rsa: [kms.pem] } }) });
    const [first] = openedByBoth(stack.outputs().sealedKey);
    const kubernetes = { ...inShop, scope: "namespace-wide" };
    await stack.up({ ci: rotating({ sealTo: { kubernetes, rsa: [kms.pem] } }) });
    expect(openedByBoth(stack.outputs().previousSealedKey)).toEqual([first, first]);
    expect(openedByBoth(stack.outputs().sealedKey, "shop")[0]).not.toBe(first);
    expect(await stack.live()).toHaveLength(2);
  });

  test("rotates if its recipients change, and a change during the grace waits for its end", async () => {
    const stack = await TestStack.start();
    await stack.up({ ci: rotating() });
    await stack.up({ ci: rotating(toAnn()) });
    const forAnn = await opened(stack.outputs());
    expect(stack.outputs().previousKey).toMatch(/^kp_/);
    const toBob = { ci: rotating({ sealTo: { age: [bob.recipient] } }) };
    await stack.up(toBob);
    expect(await opened(stack.outputs())).toBe(forAnn);
    expect((await stack.up(toBob)).steps.ci).toBe("same");
    await stack.refresh();
    expect((await stack.up(toBob)).steps.ci).toBe("same");
    await stack.clock.pass(DAY + SECOND);
    await stack.up(toBob);
    await opened(stack.outputs(), bob);
    expect(await opened(stack.outputs(), ann, "previousSealedKey")).toBe(forAnn);
    expect((await stack.up(toBob)).steps.ci).toBe("same");
  });

  test("does not adopt a key, whose readable secret the state would have", async () => {
    const stack = await TestStack.start();
    const run = await stack.preview({ ci: rotating({ ...toAnn(), adopt: { id: "7", key: "napi_7" } }) });
    expect(codeOf(run)).toBe("KP-SEAL");
  });
});
