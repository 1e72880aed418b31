import { expect, test } from "vitest";
import { readDeployment } from "../../../provider/stack/deployment";
import { stackState } from "../../../provider/stack/stack-state";

/** The roles of key 7 in a state with one resource of the dynamic provider. */
function rolesOf(type: string, id: string, outputs: object): readonly (string | undefined)[] {
  const named = `pulumi-nodejs:dynamic/keyplane:${type}`;
  const resource = { urn: `urn:pulumi:dev::app::${named}::ci`, type: named, id, custom: true, outputs };
  const { held } = stackState("state", readDeployment(JSON.stringify({ deployment: { resources: [resource] } })));
  return [held.findLast(({ id: key }) => key === "7")?.role];
}

test.each<[string, string, string, object, string]>([
  ["the current key", "ApiKey", "7", { keyId: "7" }, "current"],
  ["the current key of a state without its id", "ApiKey", "7", {}, "current"],
  [
    "a key to revoke, of which a resource without a key has the id",
    "ApiKey",
    "7",
    { pendingRevocations: ["7"] },
    "to be revoked",
  ],
  ["a key to revoke beside the current one", "ApiKey", "8", { keyId: "8", pendingRevocations: ["7"] }, "to be revoked"],
  ["a previous key that is also retired", "RotatingApiKey", "x", { previousKeyId: "7", retiring: ["7"] }, "previous"],
  ["a key in a ledger", "Ledger", "ledger", { owned: ["7"], unrevoked: ["7"] }, "to be revoked"],
])("a state shows the role of %s", (_, type, id, outputs, role) => {
  expect(rolesOf(type, id, outputs)).toEqual([role]);
});
