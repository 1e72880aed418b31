import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stateKeys } from "../../../cli/state/state-keys";
import { readKeys } from "../../../provider/api/keys/read-keys";
import { readOperationPage } from "../../../provider/api/operations/read-operations";
import { readProjectPage } from "../../../provider/api/projects/read-projects";
import { parseBaseUrl } from "../../../provider/base-url";
import { parseDuration } from "../../../provider/duration";
import { messageOf } from "../../../provider/errors";
import { parseExactJson } from "../../../provider/http/exact-json";
import { parseHttpDate, parseRetryAfterMs } from "../../../provider/http/retry/retry-after";
import { ID_FORMS, keyIdOf } from "../../../provider/ids";
import { types } from "../../../provider/keys/field-types";
import { attemptIn, deadlineIn, nameInUrn, prefixFrom, suffixIn, tagOf } from "../../../provider/keys/naming";
import { conceal, isKeyText, redact } from "../../../provider/secrets";
import { apiKeyProblem, parseAccounts } from "../../../provider/settings/accounts";
import { importKeysIn } from "../../../provider/settings/import-keys";
import { readDeployment } from "../../../provider/stack/deployment";
import { readHistory } from "../../../provider/stack/history";
import { factsFor } from "../../../provider/stack/stack-facts";
import { cleanText, looksSecret, printableJson, shownName, toMessage } from "../../../provider/text";
import { LIST } from "../../routes";
import { startCpuClock } from "../cpu-clock";

/** Length of a hostile text. Quadratic time would need many seconds for it. */
const LENGTH = 96 * 1024;

/** Maximum processor time for a character, in microseconds: many times what the slowest parser needs. */
const MAX_MICROS = 20;

/** What a text can repeat to make careless code look again and again from each of its characters. */
const units = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."\"\\'[]{}<>()|&;%$#@*+-_=.,:/ \t\n\u001b09aZ"), minLength: 1, maxLength: 5 }),
  fc.constantFrom(
    ...[
      '\\"',
      '{"a":',
      "[[",
      "null,",
      "0.0e",
      "12345678901234567",
      "&amp;",
      "&#x27;",
      "%25",
      "\\u0022",
      "\u001b[",
      "\u202e",
    ],
    ...[
      "key_",
      "urn:pulumi:a::",
      "-target=",
      "--target ",
      "aaaaaaaa-",
      "https://",
      "a@",
      "90d",
      "Mon, ",
      "A1b2C3d4E5f6G7h8",
    ],
  ),
);

const hostileText = fc
  .tuple(
    fc.constantFrom("", '"', "{", "[", "<", "urn:pulumi:", "napi_", "Mon"),
    units,
    fc.constantFrom("", '"', "!", "]"),
  )
  .map(([start, unit, end]) => start + unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH) + end);

/** Units that took quadratic time in former versions, so they are always tried. */
const WORST = ["7", '\\"', "{}"];

/** A text as a value in JSON, in a document of a given form. */
const inJson = (text: string, form: (value: unknown) => unknown) => JSON.stringify(form(text));
const resource = (value: unknown) => ({
  urn: value,
  type: "keyplane:index:ApiKey",
  id: value,
  custom: true,
  dependencies: [value],
  provider: value,
  inputs: { __suffix: value },
  outputs: { keyId: value, name: value, __suffix: value },
});
const answerOf = (body: unknown) => ({ status: 200, body, requestId: undefined, sentAt: 0, answeredAt: 0 }) as never;

/** Everything that reads text of the service, of a file, of a setting or of the Pulumi CLI. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "an answer": parseExactJson,
  "an answer with a text": (text) => parseExactJson(inJson(text, (value) => ({ [String(value)]: value }))),
  "the names of keys": (text) =>
    readKeys(LIST, answerOf([{ id: 1, name: text, created_at: text, last_used_at: text }]), {
      holdsCaller: false,
    }),
  "a page of operations": (text) => readOperationPage("GET /", answerOf({ operations: [{ id: text, status: text }] })),
  "a page of projects": (text) => readProjectPage("GET /", answerOf({ projects: [{ id: text, name: text }] })),
  "an id": (text) => [keyIdOf(text), ...Object.values(ID_FORMS).map(({ matches }) => matches(text))],
  "a Date header": parseHttpDate,
  "a Retry-After header": (text) => parseRetryAfterMs(text, 0),
  "a duration": parseDuration,
  "the base URL": parseBaseUrl,
  "the accounts": parseAccounts,
  "keys to import": (text) => importKeysIn(text, {}),
  "a credential": (text) => [apiKeyProblem(text), looksSecret(text), isKeyText(text)],
  "the name of a key": (text) => [suffixIn(text), attemptIn(text), deadlineIn(text), prefixFrom(text)],
  "a URN": (text) => [nameInUrn(text), tagOf(text)],
  inputs: (text) =>
    Object.values<unknown>(types).map((type) => typeof type === "function" && type.length === 1 && type(text)),
  "a state": (text) => stateKeys(readDeployment(text)),
  "a state with a text": (text) => {
    const pending = [{ type: "creating", resource: resource(text) }];
    const state = readDeployment(
      inJson(text, (value) => ({ deployment: { resources: [resource(value)], pending_operations: pending } })),
    );
    return [
      stateKeys(state),
      factsFor(state, { verb: "create", urn: text, suffix: text }, new Map())?.holds({ id: text }),
    ];
  },
  "the history": readHistory,
  "the history with a text": (text) =>
    readHistory(inJson(text, (value) => [{ kind: value, result: value, startTime: value, endTime: value }])),
  "a message": toMessage,
  "a text with secrets": redact,
  "external text": (text) => [cleanText(text), shownName(text), printableJson(text)],
};

describe("a hostile text takes time in proportion to its length as", () => {
  test.each(Object.entries(PARSERS))("%s", (_, parse) => {
    conceal("napi_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    fc.assert(
      fc.property(hostileText, (text) => {
        const usedMicros = startCpuClock();
        try {
          parse(text);
        } catch (error) {
          expect(messageOf(error).length).toBeLessThan(LENGTH);
        }
        expect(usedMicros() / text.length).toBeLessThan(MAX_MICROS);
      }),
      { numRuns: 12, endOnFailure: true, examples: WORST.map((unit) => [unit.repeat(LENGTH / unit.length)]) },
    );
  });
});
