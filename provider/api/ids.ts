import { InputError } from "../errors";

const KEY_ID = /^[1-9]\d{0,15}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ORGANIZATION_ID = /^[a-z0-9-]{1,60}$/;
const PROJECT_ID = /^(?!\.{1,2}$)[\w.~-]{1,128}$/;

/** What an operation's id looks like. */
export const OPERATION_ID_FORM = { pattern: UUID, form: "a UUID" } as const;
/** What a project's id looks like: it becomes a part of a path, so nothing that a path could read otherwise. */
export const PROJECT_ID_FORM = { pattern: PROJECT_ID, form: "a project id" } as const;

/**
 * The decimal text of a key's id as the service writes it, or undefined. Larger numbers than a double can hold would
 * come out changed, and a changed id names another key.
 */
export function keyIdOf(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? String(value) : undefined;
}

/** Whether the text is a key's id. */
export function isKeyId(text: string): boolean {
  return KEY_ID.test(text) && Number.isSafeInteger(Number(text));
}

/** Checks a key's id before it becomes part of a path. */
export function checkKeyId(id: string, argument = "id"): string {
  if (!isKeyId(id)) throw new InputError(argument, "must be the id of an API key: a positive whole number");
  return id;
}

/** Checks an organization's id before it becomes part of a path. */
export function checkOrganizationId(id: string, argument = "organizationId"): string {
  if (typeof id !== "string" || !ORGANIZATION_ID.test(id)) {
    throw new InputError(argument, "must be an organization's id: at most 60 of a-z, 0-9 and -");
  }
  return id;
}

/** Checks a project's id before it becomes part of a path. */
export function checkProjectId(id: string, argument = "projectId"): string {
  if (typeof id !== "string" || !PROJECT_ID.test(id)) {
    throw new InputError(argument, "must be a project id: letters, digits and hyphens");
  }
  return id;
}

/** Checks an operation's id before it becomes part of a path. */
export function checkOperationId(id: string, argument = "operationId"): string {
  if (typeof id !== "string" || !UUID.test(id)) throw new InputError(argument, "must be an operation's id: a UUID");
  return id;
}
