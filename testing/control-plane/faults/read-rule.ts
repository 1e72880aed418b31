import { ApiError } from "../api-error";
import { nameOf, routes } from "../routes/table";
import { type Commit, connectionFaults, faults, type Rule, truncatingFaults } from "./rule";

type Check = (value: unknown) => boolean;

const whole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const record: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const one =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const fields: Record<keyof Rule, Check> = {
  route: (value) => typeof value === "string",
  count: (value) => value === null || whole(value),
  skip: whole,
  every: (value) => whole(value) && value !== 0,
  commit: one("before", "after", "never", "late"),
  lateMs: whole,
  hold: one("before", "after"),
  delayMs: whole,
  status: (value) => whole(value) && Number(value) >= 200 && Number(value) <= 599,
  body: () => true,
  headers: record,
  retryAfter: (value) => whole(value) || record(value),
  fault: one(...faults),
  patch: record,
  omit: Array.isArray,
  operations: (value) => Array.isArray(value) && value.every((operation) => record(operation)),
  page: one("empty", "repeated-cursor", "no-cursor"),
  lacks: whole,
  refuseMs: whole,
};

/** The names of a rule's fields. */
export const ruleFields = Object.keys(fields);

function refuse(message: string): never {
  throw new ApiError(400, `rule: ${message}`);
}

/** Whether a text names requests: `*`, a route of the table, or a concrete path of a route. */
function isRoute(text: string): boolean {
  if (text === "*" || routes.some((route) => nameOf(route) === text)) return true;
  return routes.some((route) => {
    const pattern = nameOf(route).replace(/\{\w+\}/g, "[^/]+");
    return new RegExp(`^${pattern}$`).test(text);
  });
}

/** The default for when a rule's request takes effect. */
function defaultCommit({ status, fault, page }: Rule): Commit {
  if (status !== undefined) return "never";
  if (fault === undefined || page !== undefined || truncatingFaults.includes(fault)) return "before";
  return "never";
}

/** Reads a rule. Throws 400 for unknown fields, invalid values and invalid combinations. */
export function readRule(input: unknown): Rule & { commit: Commit } {
  if (typeof input !== "object" || input === null) refuse("must be an object");
  for (const [name, value] of Object.entries(input)) {
    const check = Object.hasOwn(fields, name) ? fields[name as keyof Rule] : refuse(`${name} is not known`);
    if (value !== undefined && !check(value)) refuse(`${name} is not valid`);
  }
  const rule = { ...input } as Rule;
  if (!isRoute(rule.route ?? "")) refuse("route must be * or a method and a path that is served");
  const commit = rule.commit ?? defaultCommit(rule);
  const { fault, status } = rule;
  if (fault && connectionFaults.includes(fault) && rule.route !== "*") {
    refuse(`${fault} applies before a route is known: route must be *`);
  }
  if (fault && truncatingFaults.includes(fault) && commit !== "before") {
    refuse(`${fault} truncates the real response: commit must be before`);
  }
  if (fault === "reset-before-body" && commit !== "never")
    refuse(`${fault} does not read the request: commit must be never`);
  if (commit !== "before" && fault === undefined && status === undefined) {
    refuse(`commit ${commit} needs a status or a fault, because there is no real response`);
  }
  return { ...rule, commit };
}
