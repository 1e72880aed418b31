import { describe, expect, test } from "vitest";
import type { ResourceState } from "../state/checkpoint";
import { integrityError } from "../state/integrity";
import { PROVIDER, urnOf } from "./in-memory";

const provider: ResourceState = {
  urn: PROVIDER.slice(0, PROVIDER.lastIndexOf("::")),
  type: "pulumi:providers:pulumi-nodejs",
  custom: true,
  id: "p-1",
};
const resource = (name: string, more: Partial<ResourceState> = {}): ResourceState => ({
  urn: urnOf(name),
  type: "pulumi-nodejs:dynamic/t:T",
  custom: true,
  id: name,
  provider: PROVIDER,
  ...more,
});

describe("a state", () => {
  test("is valid with several resources of a URN if all but one wait for their deletion", () => {
    const [a, old] = [resource("a"), resource("a", { delete: true })];
    expect(integrityError([provider, a, old, old, resource("b", { dependencies: [urnOf("a")] })])).toBeUndefined();
  });

  test.each<[string, ResourceState[], string]>([
    ["has a URN twice", [provider, resource("a"), resource("a")], `duplicate resource ${urnOf("a")}`],
    ["misses a dependency", [provider, resource("b", { dependencies: [urnOf("a")] })], "is missing"],
    [
      "has a dependency after its dependent",
      [provider, resource("b", { propertyDependencies: { v: [urnOf("a")] } }), resource("a")],
      "comes after it",
    ],
    ["misses a parent", [provider, resource("b", { parent: urnOf("a") })], `${urnOf("a")} (parent)`],
    ["misses a provider", [resource("a")], "unknown provider"],
    ["has a component with an id", [resource("a", { custom: false })], "has an id"],
  ])("is not valid if it %s", (_, resources, problem) => {
    expect(integrityError(resources)).toContain(problem);
  });

  test("may lack the provider of a resource that was deleted before its replacement", () => {
    expect(integrityError([resource("a", { pendingReplacement: true })])).toBeUndefined();
  });
});
