import { describe, expect, test } from "vitest";
import { misnamed, plainTextWarnings } from "../../../sdk/nodejs/run/judge-config";
import { nameWarning } from "../../../sdk/nodejs/run/name-warning";

const RIGHT = { "keyplane:baseUrl": "https://example.com/api/v2", "keyplane:apiKey": "the-credential" };

/** The warnings for a configuration in which only these settings are secrets. */
function warnings(added: Record<string, string>, secrets: readonly string[] = ["keyplane:apiKey"]): readonly string[] {
  const config = { ...RIGHT, ...added };
  return [...misnamed(config).flatMap(nameWarning), ...plainTextWarnings(config, (key) => secrets.includes(key))];
}

describe("the configuration of a stack", () => {
  test("causes no warning if all is right, or belongs to others", () => {
    expect(
      warnings({ "keyplane:importKeys": "{}", "app:apiKey": "x", "keyplane2:x": "x" }, Object.keys(RIGHT)),
    ).toEqual([expect.stringContaining("keyplane:importKeys is in plain text")]);
    expect(warnings({ "app:apiKey": "x", "keyplane2:x": "x", "keyplane:accounts": "" })).toEqual([]);
  });

  test("causes a warning for each name that is not a setting, with the nearest one and without its value", () => {
    expect(warnings({ "keyplane:baseURL": "a-value", "keyplane:zone": "a-value" })).toEqual([
      "keyplane:baseURL is not a setting and has no effect. Did you mean baseUrl?",
      "keyplane:zone is not a setting and has no effect",
    ]);
    expect(warnings({ [`keyplane:${"A1b2C3d4E5f6G7h8".repeat(3)}`]: "x" })).toEqual([
      "keyplane:[secret] is not a setting and has no effect",
    ]);
  });

  test("causes a warning for each secret in plain text, with the command that encrypts it and without the secret", () => {
    const all = warnings({ "keyplane:accounts": '{"eu":{"apiKey":"another"}}' }, []);
    expect(all.map((warning) => /`(.*)`/.exec(warning)?.[1])).toEqual([
      "pulumi config set --secret keyplane:apiKey",
      "pulumi config set --path --secret 'keyplane:accounts.NAME.apiKey'",
    ]);
    expect(all.join()).not.toMatch(/the-credential|another/);
  });

  test("causes no warning if nobody knows what is secret", () => {
    expect(plainTextWarnings(RIGHT, () => undefined)).toEqual([]);
  });
});
