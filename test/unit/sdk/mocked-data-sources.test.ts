import * as pulumi from "@pulumi/pulumi";
import * as keyplane from "keyplane";
import { beforeEach, describe, expect, test } from "vitest";

type Call = pulumi.runtime.MockCallArgs;

let calls: Call[];
let answer: Record<string, unknown>;

beforeEach(async () => {
  calls = [];
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: (args) => {
      calls.push(args);
      return answer;
    },
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("in a unit test with mocks,", () => {
  test.each([
    ["getApiKey", () => keyplane.getApiKey({ id: "17" }), { id: "17" }],
    ["getProject", () => keyplane.getProject({ name: "shop" }), { name: "shop" }],
    [
      "getOperation",
      () => keyplane.getOperation({ projectId: "p", operationId: "o" }),
      { projectId: "p", operationId: "o" },
    ],
  ])("%s calls the mock", async (name, call, inputs) => {
    answer = { id: "17", name: "of the mock" };
    expect(await call()).toEqual(answer);
    expect(calls).toMatchObject([{ token: `keyplane:index:${name}`, inputs }]);
  });

  test.each([
    ["getApiKeys", () => keyplane.getApiKeys()],
    ["getProjects", () => keyplane.getProjects()],
    ["getOperations", () => keyplane.getOperations({ projectId: "p" })],
    ["waitForOperations", () => keyplane.waitForOperations({ projectId: "p", onProgress: () => undefined })],
    ["listOperations", () => all(keyplane.listOperations({ projectId: "p" }))],
  ])("%s calls the mock, which returns a list", async (name, call) => {
    answer = { items: [{ id: "1" }, { id: "2" }] };
    expect(await call()).toEqual(answer.items);
    expect(calls.map(({ token }) => token)).toEqual([`keyplane:index:${name}`]);
    expect(Object.keys(calls[0]?.inputs ?? {})).not.toContain("onProgress");
    answer = {};
    await expect(call()).rejects.toThrow(`the mock's call for keyplane:index:${name} must return a list`);
  });

  test("the output forms of data sources also call the mock", async () => {
    answer = { id: "17" };
    const id = await new Promise((resolve) =>
      keyplane.getProjectOutput({ name: pulumi.output("shop") }).apply((project) => resolve(project.id)),
    );
    expect(id).toBe("17");
  });
});
