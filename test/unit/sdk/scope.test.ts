import * as pulumi from "@pulumi/pulumi";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readScope, scopeName } from "../../../sdk/nodejs/run/scope";

it("a stack that uses no scopes keeps the names of its owner and its ledger", () => {
  expect(scopeName(readScope("ApiKey", "ci", {}))).toBe("keyplane");
});

it("every scope has its own names for its owner and its ledger, for any names of accounts and organizations", () => {
  const account = fc.option(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/), { nil: undefined });
  const organization = fc.option(fc.stringMatching(/^[a-z0-9-]{1,60}$/), { nil: undefined });
  const place = fc.record({ account, organizationId: organization });
  fc.assert(
    fc.property(place, place, (one, other) => {
      const [first, second] = [one, other].map(({ account, organizationId }) =>
        readScope("ApiKey", "ci", { ...(account && { account }), ...(organizationId && { organizationId }) }),
      );
      const same = JSON.stringify(one) === JSON.stringify(other);
      expect(scopeName(first ?? {}) === scopeName(second ?? {})).toBe(same);
    }),
    {
      examples: [
        [
          { account: "eu", organizationId: "a1" },
          { account: "eu-a1", organizationId: undefined },
        ],
      ],
    },
  );
  expect(scopeName({ account: "eu", organizationId: "a1" })).toBe("keyplane-eu.a1");
});

it.each(["account", "organizationId"])(
  "an output as %s is refused, and the error says what to do instead",
  (argument) => {
    const args = { [argument]: pulumi.output("eu") } as object;
    const words = new RegExp(`ApiKey "ci": ${argument} must be a string, not an output.*stack's configuration`);
    const refused = () => readScope("ApiKey", "ci", args);
    expect(refused).toThrow(words);
    expect(refused).toThrow(expect.objectContaining({ code: "KP-INPUT" }));
  },
);

it.each([5, true, { name: "eu" }, ["eu"]])(
  "an account %j is refused by an error that Pulumi shows without a stack",
  (account) => {
    try {
      readScope("ApiKey", "ci", { account } as never);
    } catch (error) {
      expect((error as Error).message).toBe('ApiKey "ci": account must be a string [KP-INPUT]');
      expect(pulumi.RunError.isInstance(error)).toBe(true);
      return;
    }
    throw new Error("was not refused");
  },
);
