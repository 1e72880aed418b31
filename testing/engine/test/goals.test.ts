import { resolve } from "node:path";
import { expect, test } from "vitest";
import { Goals } from "../program/goals";
import { PulumiSdk } from "../program/pulumi-sdk";

const NEWER = [
  ...["getEnvvarmappingsMap", "getHidediffsList", "getHooks", "getPackageref", "getReplaceWithList"],
  ...["getReplacementTrigger", "hasHooks", "hasProtect", "hasRetainondelete"],
];

/** The goal of a registration by an older SDK. */
const goalOfOlder = (options: { readonly protect: boolean; readonly retainOnDelete: boolean }) => {
  const request = new new PulumiSdk(resolve(".")).resource.RegisterResourceRequest();
  request.setType("pulumi-nodejs:dynamic:Resource").setName("r").setCustom(true).setProvider("urn::id");
  request.setProtect(options.protect).setRetainondelete(options.retainOnDelete);
  for (const method of NEWER) Object.assign(request, { [method]: undefined });
  return new Goals("/").of(request, async () => "");
};

test("a program with an older SDK can be deployed although its registrations lack newer options", async () => {
  expect(await goalOfOlder({ protect: true, retainOnDelete: true })).toMatchObject({
    protect: true,
    retainOnDelete: true,
  });
  // Omitted options would be inherited from a parent.
  expect(await goalOfOlder({ protect: false, retainOnDelete: false })).toMatchObject({
    protect: undefined,
    retainOnDelete: undefined,
  });
});
