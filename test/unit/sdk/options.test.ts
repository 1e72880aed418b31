import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
  it.each([
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

  it("does not override an operationTimeout of the program", async () => {
    const args = { operationTimeout: "10m" };
    await known(new keyplane.ApiKey("plain", args, { customTimeouts: { create: "5m" } }).urn);
    expect(registered.get("plain")?.operationTimeout).toBe("10m");
  });
});

describe("the resource option import", () => {
  it("is refused, and the error says what the kind of resource has that can be read", () => {
    const options = { import: "7" };
    const refusal = (other: string) =>
      new RegExp(`cannot be imported or looked up, because .* Remove the option\\. .* ${other} \\[KP-IMPORT\\]$`);
    expect(() => new keyplane.ApiKey("plain", {}, options)).toThrow(refusal("use getApiKey"));
    const gate = () => new keyplane.ProjectReady("gate", { projectId: "p" }, options);
    expect(gate).toThrow(refusal("use getProject"));
    expect(gate).not.toThrow("secret");
  });
});

describe("the resource option protect", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const warningsOf = (declare: () => unknown): string[] => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
    declare();
    return warn.mock.calls.map(([message]) => message);
  };

  const protect = { protect: true };

  it.each<keyplane.ApiKeyArgs>([{ rotateAfter: "30d" }, { maxAge: "60d" }, { rotationTriggers: { quarter: "1" } }])(
    "of an ApiKey with %j causes a warning, because the engine does not replace it",
    (args) => {
      const [warning, ...others] = warningsOf(() => new keyplane.ApiKey("plain", args, protect));
      expect(others).toEqual([]);
      expect(warning).toContain('ApiKey "plain"');
      for (const word of [...Object.keys(args), "protect", "RotatingApiKey"]) expect(warning).toContain(word);
    },
  );

  it.each<[string, () => unknown]>([
    ["of a key that never rotates", () => new keyplane.ApiKey("plain", { rotateAfter: undefined as never }, protect)],
    ["that is false", () => new keyplane.ApiKey("plain", { rotateAfter: "30d" }, { protect: false })],
    [
      "of a RotatingApiKey, which rotates in an update",
      () => new keyplane.RotatingApiKey("r", { rotateAfter: "30d" }, protect),
    ],
  ])("%s causes none", (_, declare) => {
    expect(warningsOf(declare)).toEqual([]);
  });
});

describe("an input from an output without a value", () => {
  const missing = (): pulumi.Output<never> => pulumi.output(undefined) as pulumi.Output<never>;

  it.each(["account", "organizationId", "projectId", "sealTo"])(
    "is an empty %s, which the provider refuses: the key would be less safe",
    async (input) => {
      const args = { [input]: missing() as never, namePrefix: missing() };
      for (const made of [new keyplane.ApiKey("plain", args), new keyplane.RotatingApiKey("rotating", args)]) {
        await known(made.urn);
      }
      for (const name of ["plain", "rotating"]) expect(registered.get(name)?.[input]).toBe("");
      expect(registered.get("plain")?.namePrefix).toBeUndefined();
    },
  );
});

describe("the output form of a data source", () => {
  it("is read after the resources on which it depends, and after the children of a component", async () => {
    const component = new pulumi.ComponentResource("test:index:Group", "group");
    const child = new keyplane.ApiKey("child", {}, { parent: component });
    await known(keyplane.getApiKeysOutput({}, { dependsOn: component, parent: component }));
    expect(asked.at(-1)).toBe("keyplane:index:getApiKeys");
    expect(asked).toContain("create child");
    await known(child.urn);
  });

  it("is not read in a preview while a child of the component is only planned", async () => {
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
  it("distinguishes the resource types", () => {
    const key = new keyplane.ApiKey("plain");
    const gate = new keyplane.ProjectReady("gate", { projectId: "p" });
    expect(
      [keyplane.ApiKey, keyplane.RotatingApiKey, keyplane.ProjectReady].map((type) => type.isInstance(key)),
    ).toEqual([true, false, false]);
    expect(keyplane.ProjectReady.isInstance(gate)).toBe(true);
    expect(keyplane.ProjectReady.isInstance(undefined)).toBe(false);
  });
});
