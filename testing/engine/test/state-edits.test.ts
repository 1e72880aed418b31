import { describe, expect, test } from "vitest";
import { stackNamed } from "../command/stack";
import type { ResourceState } from "../state/checkpoint";
import { moveResources } from "../state/move-resources";
import { secretOf } from "../state/property";
import { renameStack } from "../state/rename-stack";

const STACK = "urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev";
const PROVIDER = "urn:pulumi:dev::proj::pulumi:providers:t::default";
const TO = { stack: "next", project: "other" };
const urnOf = (name: string, type = "t:m:T") => `urn:pulumi:dev::proj::${type}::${name}`;

function resource(name: string, fields: Partial<ResourceState> = {}): ResourceState {
  const urn = fields.urn ?? urnOf(name);
  return { urn, type: "t:m:T", custom: true, id: name, parent: STACK, provider: `${PROVIDER}::p-1`, ...fields };
}

const stack: ResourceState = { urn: STACK, type: "pulumi:pulumi:Stack", custom: false };
const provider: ResourceState = {
  urn: PROVIDER,
  type: "pulumi:providers:t",
  custom: true,
  id: "p-1",
  inputs: { x: "1" },
};
const next: ResourceState = { ...stack, urn: "urn:pulumi:next::other::pulumi:pulumi:Stack::other-next" };
const nextProvider = { ...provider, urn: "urn:pulumi:next::other::pulumi:providers:t::default", id: "p-2" };

describe("a moved resource", () => {
  test("uses a provider with the same inputs that is already there", () => {
    const states = { source: [stack, provider, resource("a")], dest: [next, nextProvider] };
    const { source, dest } = moveResources(states, new Set([urnOf("a")]), TO);
    expect(source).toEqual([stack, provider]);
    expect(dest.slice(0, 2)).toEqual([next, nextProvider]);
    expect(dest[2]).toEqual({
      ...resource("a"),
      urn: "urn:pulumi:next::other::t:m:T::a",
      parent: next.urn,
      provider: `${nextProvider.urn}::p-2`,
    });
  });

  test("leaves its component, and the types of its parents", () => {
    const component = { urn: urnOf("c", "t:m:C"), type: "t:m:C", custom: false, parent: STACK };
    const child = resource("a", { urn: urnOf("a", "t:m:C$t:m:T"), parent: component.urn });
    const { dest } = moveResources({ source: [stack, provider, component, child], dest: [] }, new Set([child.urn]), TO);
    expect(dest.map(({ urn, parent }) => [urn, parent])).toEqual([
      [next.urn, undefined],
      [nextProvider.urn, next.urn],
      ["urn:pulumi:next::other::t:m:T::a", next.urn],
    ]);
  });

  test("loses all kinds of dependencies on what stays, and what stays loses those on it", () => {
    const on = (urn: string): Partial<ResourceState> => ({
      dependencies: [urn],
      propertyDependencies: { v: [urn], w: [] },
      deletedWith: urn,
      replaceWith: [urn],
    });
    const [a, b, c] = [resource("a"), resource("b", on(urnOf("a"))), resource("c", on(urnOf("b")))];
    const { source, dest } = moveResources({ source: [stack, provider, a, b, c], dest: [] }, new Set([b.urn]), TO);
    for (const lost of [dest.at(-1), source.at(-1)]) {
      expect(lost).toMatchObject({ dependencies: [], propertyDependencies: {}, replaceWith: [] });
      expect(lost?.deletedWith).toBeUndefined();
    }
  });

  test.each<[string, readonly ResourceState[], readonly ResourceState[]]>([
    [
      "resource urn:pulumi:next::other::t:m:T::a already exists",
      [],
      [resource("a", { urn: "urn:pulumi:next::other::t:m:T::a" })],
    ],
    ["provider .* already exists", [], [{ ...nextProvider, inputs: { x: "2" } }]],
    ["the move of a parent .* is not supported", [resource("b", { parent: urnOf("a") })], []],
  ])("is refused: %s", (message, others, dest) => {
    const source = [stack, provider, resource("a"), ...others];
    expect(() => moveResources({ source, dest }, new Set([urnOf("a")]), TO)).toThrow(new RegExp(message));
  });

  test("is neither a provider, nor a component, nor a stack", () => {
    const states = { source: [stack, provider, resource("a")], dest: [] };
    expect(() => moveResources(states, new Set([PROVIDER]), TO)).toThrow("cannot move providers");
    expect(() => moveResources(states, new Set([STACK]), TO)).toThrow("a component or a stack");
    expect(() => moveResources(states, new Set([urnOf("z")]), TO)).toThrow("no resources found to move");
  });
});

test("a renamed stack has no URN of its former name, except in encrypted secrets and of other stacks", () => {
  const reference = {
    "4dabf18193072939515e22adb298388d": "5cf8f73096256a8f31e491e813e4eb8e",
    urn: urnOf("a"),
    id: "a",
  };
  const foreign = "urn:pulumi:prod::proj::t:m:T::a";
  const b = resource("x::y", {
    aliases: [urnOf("z")],
    dependencies: [urnOf("a"), foreign],
    inputs: { list: [reference], text: urnOf("a") },
    outputs: { hidden: secretOf("s") },
    replacementTrigger: { at: reference },
  });
  const deployment = {
    manifest: { time: "", magic: "", version: "" },
    resources: [stack, provider, b],
    pending_operations: [{ type: "creating", resource: resource("c") }] as const,
  };
  const renamed = renameStack(deployment, { stack: "dev", project: "proj" }, TO);
  const there = (name: string) => `urn:pulumi:next::other::t:m:T::${name}`;
  expect(renamed.resources?.map(({ urn }) => urn)).toEqual([next.urn, nextProvider.urn, there("x::y")]);
  expect(renamed.resources?.[2]).toEqual({
    ...b,
    urn: there("x::y"),
    parent: next.urn,
    provider: `${nextProvider.urn}::p-1`,
    aliases: [there("z")],
    dependencies: [there("a"), foreign],
    // Only references are changed, not texts.
    inputs: { list: [{ ...reference, urn: there("a") }], text: urnOf("a") },
    replacementTrigger: { at: { ...reference, urn: there("a") } },
  });
  expect(renamed.pending_operations?.[0]?.resource.urn).toBe(there("c"));
});

test("a stack can be named with its project and its organization", () => {
  expect(stackNamed("dev", "proj")).toEqual({ stack: "dev", project: "proj" });
  expect(stackNamed("organization/dev", "proj")).toEqual({ stack: "dev", project: "proj" });
  expect(stackNamed("organization/other/dev", "proj")).toEqual({ stack: "dev", project: "other" });
});
