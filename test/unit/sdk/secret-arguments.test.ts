import * as pulumi from "@pulumi/pulumi";
import { getOperationOutput, getProjectOutput } from "keyplane";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "../../../testing";

let plane: ControlPlane;

beforeEach(async () => {
  // Another test file in this process can have set mocks, which would answer.
  pulumi.runtime.resetOptions("project", "stack", 1, "", "", false, "organization");
  plane = await startControlPlane();
  vi.stubEnv("KEYPLANE_BASE_URL", plane.url);
  vi.stubEnv("KEYPLANE_API_KEY", plane.apiKey);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await plane.close();
});

/** Why an output failed. All its parts fail with it. */
async function failureOf(output: unknown): Promise<Error> {
  const parts = output as { promise(): Promise<unknown>; allResources(): Promise<unknown> } & Record<
    "isKnown" | "isSecret",
    Promise<unknown>
  >;
  const failed = parts.promise().catch((error: Error) => error);
  await Promise.allSettled([failed, parts.isKnown, parts.isSecret, parts.allResources()]);
  return (await failed) as Error;
}

test("an argument that is a secret is not in the error of a data source, which Pulumi prints with its stack", async () => {
  const operationId = "d8ac46eb-a757-42b1-9907-f78322ee394e";
  const projectId = "hunter-2-1a2b3c";
  for (const output of [
    () => getProjectOutput({ name: pulumi.secret(projectId) }),
    () => getProjectOutput({ id: pulumi.secret(projectId) }),
    () => getOperationOutput({ projectId: pulumi.secret(projectId), operationId: pulumi.secret(operationId) }),
  ]) {
    const { message, stack } = await failureOf(output());
    expect(message).toMatch(/ \[KP-NOT-FOUND\]$/);
    for (const text of [message, stack]) expect(text).not.toMatch(/hunter-2|d8ac46eb/);
  }
  const { message } = await failureOf(getOperationOutput({ projectId, operationId }));
  expect(message).toContain(projectId);
});
