import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import * as keyplane from "../../../sdk/nodejs";

let registered: Map<string, Record<string, unknown>>;
let asked: string[];

beforeEach(async () => {
  registered = new Map();
  asked = [];
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      registered.set(name, inputs);
      asked.push(`create ${name}`);
      return { id: name, state: inputs };
    },
    call: ({ token }) => {
      asked.push(token);
      return { items: [] };
    },
  });
});

const known = <T>(output: pulumi.Output<T>): Promise<T> => new Promise((resolve) => output.apply(resolve));

describe("the resource option customTimeouts", () => {
  test.each([
    [{ create: "5m" }, "300s"],
    [{ create: "1m", update: "1h30m" }, "5400s"],
    [{ update: "1500ms" }, "2s"],
    [{ delete: "5m" }, undefined],
    [{ create: "0s" }, undefined],
  ])("%j sets the operation timeout to %s if the program sets none", async (customTimeouts, expected) => {
    const options = { customTimeouts };
    const made = [
      new keyplane.ApiKey("plain", {}, options),
      new keyplane.RotatingApiKey("rotating", {}, options),
      new keyplane.ProjectReady("gate", { projectId: "p" }, options),
    ];
    for (const each of made) await known(each.urn);
    for (const name of ["plain", "rotating", "gate"]) expect(registered.get(name)?.operationTimeout).toBe(expected);
  });

  test("does not override an operationTimeout of the program", async () => {
    const args = { operationTimeout: "10m" };
    await known(new keyplane.ApiKey("plain", args, { customTimeouts: { create: "5m" } }).urn);
    expect(registered.get("plain")?.operationTimeout).toBe("10m");
  });
});

describe("the resource option import", () => {
  test("is refused, and the error says what the kind of resource has that can be read", () => {
    const options = { import: "7" };
    const refusal = (other: string) =>
      new RegExp(`cannot be imported or looked up, because .* Remove the option\\. .* ${other} \\[KP-IMPORT\\]$`);
    expect(() => new keyplane.ApiKey("plain", {}, options)).toThrow(refusal("use getApiKey"));
    const gate = () => new keyplane.ProjectReady("gate", { projectId: "p" }, options);
    expect(gate).toThrow(refusal("use getProject"));
    expect(gate).not.toThrow("secret");
  });
});

describe("a trigger that Pulumi would record without its content", () => {
  test.each<[string, unknown, string]>([
    ["a date", { at: new Date(0) }, "at"],
    ["a URL in a list", { hosts: [new URL("https://a.example")] }, "hosts.0"],
    ["a map in an object", { a: { b: new Map([["c", 1]]) } }, "a.b"],
    ["a big integer", { n: 1n }, "n"],
    ["a function", { now: () => 1 }, "now"],
  ])("is refused: %s", (_, triggers, path) => {
    const given = triggers as Record<string, unknown>;
    const refusal = (name: string) => new RegExp(`${name}\\.${path} is a .* \\[KP-INPUT\\]$`);
    expect(() => new keyplane.ApiKey("plain", { rotationTriggers: given })).toThrow(refusal("rotationTriggers"));
    const rotating = () => new keyplane.RotatingApiKey("rotating", { rotationTriggers: given });
    expect(rotating).toThrow(refusal("rotationTriggers"));
    const gate = () => new keyplane.ProjectReady("gate", { projectId: "p", triggers: given });
    expect(gate).toThrow(refusal("triggers"));
  });

  test("is no text, list, output, promise, asset or resource", async () => {
    const rotationTriggers = {
      quarter: "2027Q1",
      list: [1, null, { a: true }],
      late: pulumi.output("a"),
      later: Promise.resolve("b"),
      file: new pulumi.asset.StringAsset("text"),
      other: new keyplane.ApiKey("other"),
    };
    await known(new keyplane.ApiKey("plain", { rotationTriggers }).urn);
    expect(registered.get("plain")?.rotationTriggers).toMatchObject({ quarter: "2027Q1", late: "a", later: "b" });
  });
});

describe("the resource option protect", () => {
  const child = (protect: boolean | undefined, ofParent: boolean) => {
    const parent = new pulumi.ComponentResource("t:t:T", "parent", {}, { protect: ofParent });
    return new keyplane.ApiKey("plain", {}, { parent, ...(protect !== undefined && { protect }) });
  };

  test.each<[string, () => pulumi.Resource, true | undefined]>([
    ["of an ApiKey", () => new keyplane.ApiKey("plain", {}, { protect: true }), true],
    ["that is false", () => new keyplane.ApiKey("plain", {}, { protect: false }), undefined],
    ["that is not set", () => new keyplane.ApiKey("plain"), undefined],
    ["of its parent", () => child(undefined, true), true],
    ["that differs from its parent's", () => child(false, true), undefined],
  ])("%s is passed on to the provider, which is not told otherwise", async (_, declare, expected) => {
    await known(declare().urn);
    expect(registered.get("plain")?.__isProtected).toBe(expected);
  });
});

describe("an input without a value", () => {
  const missing = (): pulumi.Output<never> => pulumi.output(undefined) as pulumi.Output<never>;

  test.each<[string, unknown]>([
    ...["account", "organizationId", "projectId", "sealTo"].flatMap((input): [string, unknown][] => [
      [input, missing()],
      [input, null],
    ]),
    ["organizationId", undefined],
    ["projectId", undefined],
  ])("is an empty %s, which the provider refuses: the key would be less safe", async (input, value) => {
    const args = { [input]: value as never, namePrefix: missing() };
    for (const made of [new keyplane.ApiKey("plain", args), new keyplane.RotatingApiKey("rotating", args)]) {
      await known(made.urn);
    }
    for (const name of ["plain", "rotating"]) expect(registered.get(name)?.[input]).toBe("");
    expect(registered.get("plain")?.namePrefix).toBeUndefined();
  });
});

describe("the output form of a data source", () => {
  test("is read after the resources on which it depends, and after the children of a component", async () => {
    const component = new pulumi.ComponentResource("test:index:Group", "group");
    const child = new keyplane.ApiKey("child", {}, { parent: component });
    await known(keyplane.getApiKeysOutput({}, { dependsOn: component, parent: component }));
    expect(asked.at(-1)).toBe("keyplane:index:getApiKeys");
    expect(asked).toContain("create child");
    await known(child.urn);
  });

  test("is not read in a preview while a child of the component is only planned", async () => {
    pulumi.runtime.setAllConfig({});
    await pulumi.runtime.setMocks(
      {
        newResource: ({ name, inputs }) => ({ id: name === "child" ? undefined : name, state: inputs }),
        call: ({ token }) => {
          asked.push(token);
          return { items: [] };
        },
      },
      "project",
      "stack",
      true,
    );
    const component = new pulumi.ComponentResource("test:index:Group", "group");
    const child = new keyplane.ApiKey("child", {}, { parent: component });
    const keys = keyplane.getApiKeysOutput({}, { dependsOn: component });
    const isKnown = await (keys as unknown as { readonly isKnown: Promise<boolean> }).isKnown;
    expect(isKnown).toBe(false);
    expect(asked).toEqual([]);
    await known(child.urn);
  });
});

describe("isInstance", () => {
  test("distinguishes the resource types", () => {
    const key = new keyplane.ApiKey("plain");
    const gate = new keyplane.ProjectReady("gate", { projectId: "p" });
    expect(
      [keyplane.ApiKey, keyplane.RotatingApiKey, keyplane.ProjectReady].map((type) => type.isInstance(key)),
    ).toEqual([true, false, false]);
    expect(keyplane.ProjectReady.isInstance(gate)).toBe(true);
    expect(keyplane.ProjectReady.isInstance(undefined)).toBe(false);
  });
});
