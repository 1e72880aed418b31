import { DURATION_FORM, MAX_TIMER_MS, parseDuration } from "../duration";
import { ID_FORMS } from "../ids";

/** Stands for a value that a preview does not know yet. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** What a value of a field must be; answers what is wrong with it, as the end of a sentence. */
export type FieldType = (value: unknown) => string | undefined;

/** A field's rules as data: one generic `check` and `diff` read them. */
export interface FieldRule {
  readonly type: FieldType;
  readonly required?: boolean;
  /** What an absent value means. */
  readonly fallback?: unknown;
  /** What a changed value does to the resource. `ignore`: noted at the next update, never a reason for one. */
  readonly change: "replace" | "update" | "ignore";
  /** Setting it from or to nothing only updates, so that adopting a trigger does not rotate. */
  readonly unsetUpdates?: boolean;
  /** Whether the SDK fills it in, so that it is none of a user's inputs. */
  readonly internal?: true;
  /** For a list: entries that it loses are no change. */
  readonly onlyAdditions?: boolean;
  /** The value in force, where the outputs do not repeat the input under its own name. */
  readonly inForce?: (outputs: Readonly<Record<string, unknown>>) => unknown;
  /** The digest of the value in force, where the outputs keep no more of it. */
  readonly digest?: (outputs: Readonly<Record<string, unknown>>) => string | undefined;
}

/** Whether a value is, or holds, something that a preview does not know yet. */
export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}

const flag: FieldType = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

const text: FieldType = (value) => (typeof value === "string" && value !== "" ? undefined : "must be a non-empty text");

const oneOf =
  (...choices: readonly string[]): FieldType =>
  (value) =>
    typeof value === "string" && choices.includes(value)
      ? undefined
      : `must be ${choices.map((choice) => JSON.stringify(choice)).join(" or ")}`;

const duration: FieldType = (value) =>
  parseDuration(value) === undefined ? `must be a duration: ${DURATION_FORM}` : undefined;

/** A duration that a timer waits out. */
const timeout: FieldType = (value) =>
  duration(value) ?? ((parseDuration(value) ?? 0) > MAX_TIMER_MS ? "must be at most 24 days" : undefined);

const id =
  (kind: keyof typeof ID_FORMS): FieldType =>
  (value) =>
    typeof value === "string" && ID_FORMS[kind].matches(value) ? undefined : `must be ${ID_FORMS[kind].form}`;

const projectId = id("project");
const organizationId = id("organization");
const operationId = id("operation");
const keyId = id("apiKey");

const listOf =
  (item: FieldType): FieldType =>
  (value) => {
    if (!Array.isArray(value)) return "must be a list";
    for (const [index, entry] of value.entries()) {
      const problem = item(entry);
      if (problem !== undefined) return `has an invalid entry at [${index}]: it ${problem}`;
    }
    return undefined;
  };

const map: FieldType = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? undefined
    : 'must be a map, such as { quarter: "2026Q4" }';

/** The service takes names of at most 64 characters; control characters would only hide what a name is. */
const keyName: FieldType = (value) => {
  if (typeof value !== "string" || value.trim() === "") return "must be a non-empty text";
  if ([...value].length > 64) return "must be at most 64 characters";
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/u.test(value)) {
    return "must not contain control or invisible characters";
  }
  return value.trim() === value ? undefined : "must not begin or end with a space";
};

/** Only what an auto-name may hold, and short enough for the owner's tag and the nonce to follow. */
const namePrefix: FieldType = (value) =>
  typeof value === "string" && /^[a-z0-9]([a-z0-9-]{0,44}[a-z0-9])?$/.test(value)
    ? undefined
    : "must be at most 46 of a-z, 0-9 and -, and neither begin nor end with -";

/** A secret goes into a header. */
const secret: FieldType = (value) =>
  typeof value === "string" && /^[\x21-\x7e]+$/.test(value) ? undefined : "must be a secret, without spaces";

/** What is wrong is not told in detail: one of the two is a secret. */
const adoption: FieldType = (value) => {
  const { id, key, ...others } = (value ?? {}) as Partial<Record<string, unknown>>;
  const problem = map(value) ?? keyId(id) ?? secret(key);
  return problem === undefined && Object.keys(others).length === 0
    ? undefined
    : "must be { id, key }: the id of an active key, as decimal text, and its secret";
};

/** The types of field there are. */
export const types = {
  adoption,
  duration,
  flag,
  keyId,
  keyName,
  listOf,
  map,
  namePrefix,
  oneOf,
  operationId,
  organizationId,
  projectId,
  text,
  timeout,
} as const;
