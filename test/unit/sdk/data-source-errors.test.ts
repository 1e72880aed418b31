import * as pulumi from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi";
import { getApiKey, getApiKeys, KeyplaneError, listOperations, waitForOperations } from "keyplane";
import { beforeEach, expect, it, vi } from "vitest";
import { KeyplaneError as SourceError } from "../../../provider/errors";
import { asReport } from "../../../sdk/nodejs/data-sources/data-source";

beforeEach(() => {
  // Another test file in this process can have set mocks, which would answer.
  pulumi.runtime.resetOptions("project", "stack", 1, "", "", false, "organization");
  vi.unstubAllEnvs();
});

/** Why a call failed. */
const failureOf = (call: () => Promise<unknown>): Promise<unknown> => call().catch((error: unknown) => error);

it.each([
  ["getApiKey", () => getApiKey({ name: "ci" })],
  ["getApiKeys", () => getApiKeys()],
  ["listOperations", () => listOperations({ projectId: "p" }).next()],
])("the error of %s is one that Pulumi shows by its message, which has the name and the code", async (name, call) => {
  const error = await failureOf(call);
  expect(RunError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: "KP-CONFIG",
    message: expect.stringMatching(`^${name}: .*keyplane:baseUrl is not set.* \\[KP-CONFIG\\]$`),
  });
  expect(error).toBeInstanceOf(KeyplaneError);
  // The mark is no property of the error for those who print or copy it.
  expect(Object.keys(error as object)).not.toContain("__pulumiRunError");
});

const misused = (call: (args: never) => Promise<unknown>, args: unknown) => call(args as never);

it.each([
  ["getApiKey", () => misused(getApiKey, undefined), "the arguments: must be an object"],
  ["getApiKeys", () => misused(getApiKeys, { organizationid: "org-1" }), "Did you mean organizationId?"],
  ["listOperations", () => misused((args) => listOperations(args).next(), { bogus: 1 }), "bogus: is not an argument"],
  ["waitForOperations", () => misused(waitForOperations, { projectId: "p", onProgress: 5 }), "onProgress: must be a"],
])("a wrong call of %s is refused before any setting is read", async (name, call, words) => {
  const refused = { code: "KP-INPUT", message: expect.stringMatching(`^${name}: .* \\[KP-INPUT\\]$`) };
  expect(await failureOf(call)).toMatchObject(refused);
  expect(await failureOf(call)).toMatchObject({ message: expect.stringContaining(words) });
});

it("the error that several calls share gets the name of the first one, and its code, once", () => {
  const error = new SourceError("KP-CONFIG", "it is not set");
  for (const name of ["getApiKey", "getApiKeys"]) asReport(name, error);
  expect(error.message).toBe("getApiKey: it is not set [KP-CONFIG]");
});
