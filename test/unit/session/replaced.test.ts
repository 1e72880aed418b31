import { expect, test } from "vitest";
import { apiKey } from "../../../provider/resources/api-key";
import { createResource, diffResource } from "../../../provider/session/verbs";
import { TestStack } from "../../engineless/test-stack";

test("the key of a replacement is looked for only while the last diff wants the replacement", async () => {
  const run = (await TestStack.start()).newSession();
  const target = { type: apiKey, urn: "urn:pulumi:dev::app::t::ci" };
  const outputs = { __account: "another.account", keyId: "7", name: "ci-abcdefghijk2", namePrefix: "a" };
  const plan = (namePrefix: string) => diffResource(run, target, { id: "7", outputs, inputs: { namePrefix } });
  const create = () => createResource(run, target, { __suffix: "bbbbbbbbbbbb" });
  expect((await plan("b")).replaces).toEqual(["namePrefix"]);
  await expect(create()).rejects.toThrow("[KP-WRONG-ACCOUNT]");
  expect((await plan("a")).changes).toBe(false);
  expect((await create()).state).toMatchObject({ name: "ci-bbbbbbbbbbbb" });
});
