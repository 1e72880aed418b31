import { DURATION_FORM, MAX_TIMER_MS, parseDuration, TIMER_FORM } from "../duration";
import { ID_FORMS } from "../ids";
import { isObject, membersOf } from "../members";
import type { FieldType } from "../schema/fields";
import { parseRecipients, type Recipients } from "../seal/recipients";
import { holdsKey, isKeyText } from "../secrets";
import { NOT_IN_NAMES } from "../text";

const flag: FieldType<boolean> = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

const text: FieldType<string> = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a non-empty string";

const oneOf =
  <Choice extends string>(...choices: readonly Choice[]): FieldType<Choice> =>
  (value) =>
    choices.some((choice) => choice === value)
      ? undefined
      : `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`;

const duration: FieldType<string> = (value) =>
  parseDuration(value) === undefined ? `must be a duration: ${DURATION_FORM}` : undefined;

const timeout: FieldType<string> = (value) =>
  parseDuration(value, MAX_TIMER_MS) === undefined ? `must be a duration: ${TIMER_FORM}` : undefined;

const id =
  (kind: keyof typeof ID_FORMS): FieldType<string> =>
  (value) => {
    if (typeof value === "string" && ID_FORMS[kind].matches(value) && !holdsKey(value)) return undefined;
    const problem = `must be ${ID_FORMS[kind].form}`;
    return value === "" ? `is empty, but ${problem}` : problem;
  };

const keyId = id("apiKey");

const listOf =
  <Item>(item: FieldType<Item>): FieldType<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return "must be a list";
    for (const [index, entry] of value.entries()) {
      const problem = item(entry);
      if (problem !== undefined) return `has an invalid entry at [${index}]: it ${problem}`;
    }
    return undefined;
  };

const map: FieldType<object> = (value) =>
  isObject(value) ? undefined : 'must be a map, such as { quarter: "2026Q4" }';

/** The service accepts names of at most 64 characters. Control characters would only disguise a name. */
const keyName: FieldType<string> = (value) => {
  if (typeof value !== "string" || value.trim() === "") return "must be a non-empty string";
  if ([...value].length > 64) return "must be at most 64 characters";
  if (NOT_IN_NAMES.test(value)) return "must not contain control or invisible characters";
  if (holdsKey(value)) return "must not be an API key";
  return value.trim() === value ? undefined : "must not begin or end with a space";
};

/** Only the characters of a generated name, and short enough to add the rest of it. */
const prefixUpTo =
  (max: number): FieldType<string> =>
  (value) =>
    typeof value === "string" && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value) && value.length <= max
      ? undefined
      : `must be 1 to ${max} characters (a-z, 0-9 and -), and must not begin or end with -`;

const secret: FieldType<string> = (value) => (isKeyText(value) ? undefined : "must be a secret, without spaces");

/** The message gives no details, because one of the two is a secret. */
const adoption: FieldType<{ readonly id: string; readonly key: string }> = (value) => {
  const { id, key, ...others } = membersOf(value);
  const problem = map(value) ?? keyId(id) ?? secret(key);
  return problem === undefined && Object.keys(others).length === 0
    ? undefined
    : "must be { id, key }: the id of an active key, as decimal text, and its secret";
};

const recipients: FieldType<Recipients> = (value) => {
  const parsed = parseRecipients(value);
  return "problem" in parsed ? parsed.problem : undefined;
};

export const types = {
  adoption,
  duration,
  flag,
  keyId,
  keyName,
  listOf,
  map,
  oneOf,
  operationId: id("operation"),
  organizationId: id("organization"),
  prefixUpTo,
  projectId: id("project"),
  recipients,
  text,
  timeout,
} as const;
