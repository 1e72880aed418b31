import { expect, test } from "vitest";
import { redact } from "../../../provider/secrets";
import { importKeysIn } from "../../../provider/settings/import-keys";

test("the keys to import are read by their ids, and no message shows them from then on", () => {
  expect(importKeysIn(undefined, {})).toEqual(new Map());
  expect(importKeysIn('{"7":"secret-of-key-7","8":"secret-of-key-8"}', {})).toEqual(
    new Map([
      ["7", "secret-of-key-7"],
      ["8", "secret-of-key-8"],
    ]),
  );
  expect(redact("no secret-of-key-7 and no secret-of-key-8")).toBe("no [secret] and no [secret]");
});

test.each([
  ["no JSON", "my-secret"],
  ["a text", '"my-secret"'],
  ["a list", '["my-secret"]'],
  ["null", "null"],
  ["an id that is none", '{"my-secret":"my-secret"}'],
  ["an id and a secret in the wrong order", '{"my-secret":"7"}'],
  ["a number", '{"7":7}'],
  ["a secret with a space", '{"7":"my-secret with a space"}'],
  ["an empty secret", '{"7":""}'],
])("the keys to import are refused if they are %s, and the error quotes nothing", (_, text) => {
  const parse = () => importKeysIn(text, {});
  expect(parse).toThrow(
    /^keyplane:importKeys must be a map from the id of a key to its secret: run `pulumi config set/,
  );
  expect(parse).not.toThrow(/my-secret/);
});

test("the variable adds to the setting and wins over it", () => {
  const env = { KEYPLANE_IMPORT_KEYS: '{"8":"from-variable-8"}' };
  expect([...importKeysIn('{"7":"from-setting-7","8":"from-setting-8"}', env)]).toEqual([
    ["7", "from-setting-7"],
    ["8", "from-variable-8"],
  ]);
  expect([...importKeysIn(undefined, env)]).toEqual([["8", "from-variable-8"]]);
  expect(() => importKeysIn(undefined, { KEYPLANE_IMPORT_KEYS: "secret" })).toThrow(/KEYPLANE_IMPORT_KEYS/);
});
