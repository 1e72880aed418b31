import * as pulumi from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi";
import { getApiKey, getApiKeys, KeyplaneError, listOperations, waitForOperations } from "keyplane";
import { beforeEach, expect, test, vi } from "vitest";
import { KeyplaneError as SourceError } from "../../../provider/errors";
import { asReport } from "../../../sdk/nodejs/data-sources/data-source";

beforeEach(() => {
  // Another test file in this process can have set mocks, which would answer.
  pulumi.runtime.resetOptions("project", "stack", 1, "", "", false, "organization");
  vi.unstubAllEnvs();
});

/** Why a call failed. */
const failureOf = (call: () => Promise<unknown>): Promise<unknown> => call().catch((error: unknown) => error);

test.each([
  ["getApiKey", () => getApiKey({ name: "ci" })],
  ["getApiKeys", () => getApiKeys()],
  ["listOperations", () => listOperations({ projectId: "p" }).next()],
])("the error of %s is one that Pulumi shows by its message, which has the name and the code", async (name, call) => {
  const error = await failureOf(call);
  expect(RunError.isInstance(error)).toBe(true);
  expect(error).toMatchObject({
    code: "KP-CONFIG",
    message: expect.stringMatching(`^${name}: .*keyplane:baseUrl .* \\[KP-CONFIG\\]$`),
  });
  expect(error).toBeInstanceOf(KeyplaneError);
  // The mark is no property of the error for those who print or copy it.
  expect(Object.keys(error as object)).not.toContain("__pulumiRunError");
});

const misused = (call: (args: never) => Promise<unknown>, args: unknown) => call(args as never);

test.each([
  ["getApiKey", () => misused(getApiKey, undefined), "the arguments"],
  ["getApiKeys", () => misused(getApiKeys, { organizationid: "org-1" }), "organizationid"],
  ["listOperations", () => misused((args) => listOperations(args).next(), { bogus: 1 }), "bogus"],
  ["waitForOperations", () => misused(waitForOperations, { projectId: "p", onProgress: 5 }), "onProgress"],
])("a wrong call of %s is refused before any setting is read", async (name, call, argument) => {
  const message = expect.stringMatching(`^${name}: ${argument}: .* \\[KP-INPUT\\]$`);
  expect(await failureOf(call)).toMatchObject({ code: "KP-INPUT", message });
});

test("the error that several calls share gets the name of the first one, and its code, once", () => {
  const error = new SourceError("KP-CONFIG", "it is not set");
  for (const name of ["getApiKey", "getApiKeys"]) asReport(name, error);
  expect(error.message).toBe("getApiKey: it is not set [KP-CONFIG]");
});
