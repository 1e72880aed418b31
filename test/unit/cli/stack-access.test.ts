import { expect, test } from "vitest";
import { readStackName, shownStack } from "../../../cli/state/pulumi-stack";
import { UsageError } from "../../../cli/usage-error";

test.each([["--show-secrets"], ["-s"], ["-C"], ["dev id"], ["a/b/c/d"], [""], ["x".repeat(101)]])(
  "the name %j of a stack is refused, and not repeated",
  (name) => {
    expect(() => readStackName(name)).toThrow(UsageError);
    if (name.length > 2) expect(() => readStackName(name)).not.toThrow(name);
  },
);

test("the name of a stack may contain the organization and the project", () => {
  expect(readStackName("acme/shop/prod-1.eu_2")).toBe("acme/shop/prod-1.eu_2");
  expect(readStackName("dev")).toBe("dev");
});

test("a message does not repeat a name that can be a secret in the wrong place", () => {
  expect(shownStack(readStackName("acme/prod"))).toBe("stack acme/prod");
  expect(shownStack(readStackName("acme/kp_0123456789abcdef"), 3)).toBe("stack 3");
});
