import type { AccountSettings } from "../account-settings";
import type { ErrorCode } from "../errors";
import type { Members } from "../members";
import { type FieldRule, hasUnknown } from "./fields";

/** One error in the inputs: the property's path and the remedy. */
export interface Failure {
  readonly property: string;
  readonly reason: string;
  /** @default "KP-INPUT" */
  readonly code?: ErrorCode | undefined;
  /** The names that exist, if the property does not. The nearest one is suggested. */
  readonly known?: readonly string[];
}

/** What the rules between fields may use. They make no request. */
export interface CheckCall {
  /** The settings of an account. Throws a `ConfigError` if they are missing or invalid. */
  readonly settings: (account: string | undefined) => AccountSettings;
  /** The URN of another resource of this run that has claimed the same before, if there is one. */
  readonly claim: (what: string) => string | undefined;
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly info: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** A resource type, as far as its inputs are concerned. */
export interface Checked<Inputs = Members> {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /**
   * Rules between fields. Called only with inputs whose fields are valid or unknown.
   * @param before - The inputs in the state; none if the resource is to be created.
   */
  readonly rules?: ((inputs: Inputs, check: CheckCall, before: Members) => readonly Failure[]) | undefined;
}

/**
 * Checks a resource's inputs against its field rules, without a request. Values that a preview does not know yet are
 * checked in the actual run. Returns the inputs without empty entries, and what is wrong with them.
 * @param before - The inputs in the state.
 */
export function checkInputs(
  type: Checked,
  news: Members,
  call: CheckCall,
  before: Members = {},
): { readonly inputs: Members; readonly failures: readonly Failure[] } {
  const inputs = Object.fromEntries(Object.entries(news).filter(([, value]) => value !== undefined && value !== null));
  const failures: Failure[] = [];

  for (const property of Object.keys(inputs)) {
    if (!Object.hasOwn(type.fields, property)) {
      const isOffered = ({ internal, refused }: FieldRule) => internal !== true && refused !== true;
      const known = Object.entries(type.fields).flatMap(([name, rule]) => (isOffered(rule) ? name : []));
      failures.push({ property, reason: `is not an input of ${type.name}. Its inputs are ${known.join(", ")}`, known });
    }
  }
  for (const [property, rule] of Object.entries(type.fields)) {
    const value = inputs[property];
    if (value === undefined) {
      if (rule.required) failures.push({ property, reason: "is required" });
    } else if (!hasUnknown(value)) {
      const problem = rule.type(value);
      if (problem !== undefined) failures.push({ property, reason: problem, code: rule.code });
    }
  }
  if (failures.length === 0 && type.rules !== undefined) failures.push(...type.rules(inputs, call, before));
  return { inputs, failures };
}
