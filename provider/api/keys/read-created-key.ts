import { AnswerLostError, isKeyplaneError } from "../../errors";
import type { HttpAnswer } from "../../http";
import { keyIdOf } from "../../ids";
import { type Members, membersOf } from "../../members";
import { conceal, isKeyText } from "../../secrets";
import { readOperation } from "../operations/read-operations";
import { Reader } from "../reader";
import type { CreatedKey, Operation } from "../records";

interface CreatedKeyContext {
  readonly route: string;
  /** The requested name. */
  readonly name: string;
  readonly warn: (message: string) => void;
  /** The local wall clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Reads the answer that contains a new key. Throws `AnswerLostError` if its id or secret is invalid, or if it is the
 * answer to another request. Tolerates any other invalid field, so that it does not lose the key.
 */
export function readCreatedKey(answer: HttpAnswer, context: CreatedKeyContext): CreatedKey {
  const { route } = context;
  const body = membersOf(answer.json);
  const reader = new Reader(route, answer);
  const id = keyIdOf(reader.field(body, "id"));
  const key = reader.field(body, "key");
  if (typeof key === "string") conceal(key);
  const lost = (says: string) => {
    const { status, requestId } = answer;
    const message = `${route} returned ${status} ${says} [request ${requestId}]`;
    return new AnswerLostError(message, { status, requestId, route });
  };
  if (id === undefined || !isKeyText(key)) {
    const lacks = id === undefined ? "a valid id" : "a valid secret";
    throw lost(`without ${lacks}. A key was probably created, but it cannot be used`);
  }
  const name = tolerant(() => reader.name(body, "name", ""), context.name);
  // The service may change the case of names, or spaces around them.
  if (name.trim().toLowerCase() !== context.name.trim().toLowerCase()) {
    throw lost(`with key ${id}, which has another name. A key was probably created, but its secret is unknown`);
  }
  const answered = new Date(answer.date ?? context.now()).toISOString();
  return {
    id,
    key,
    name,
    createdAt: tolerant(() => reader.time(body, "created_at", ""), answered),
    operations: readStarted(reader, body, context.warn),
    ...readProject(reader, body),
  };
}

function readStarted(reader: Reader, body: Members, warn: (message: string) => void): Operation[] {
  const items = reader.field(body, "operations");
  if (!Array.isArray(items)) return [];
  return items.flatMap((each, at) => {
    try {
      return [readOperation(reader, each, `operations[${at}]`)];
    } catch (error) {
      if (!isKeyplaneError(error)) throw error;
      warn(`Cannot wait for an operation that the creation of a key started: ${error.message}`);
      return [];
    }
  });
}

/** A project that cannot be read is one that the answer does not say. */
function readProject(reader: Reader, body: Members): Pick<CreatedKey, "projectId"> {
  const projectId = tolerant(() => reader.nullableText(body, "project_id", ""), undefined);
  return projectId === undefined ? {} : { projectId };
}

function tolerant<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch (error) {
    if (!isKeyplaneError(error)) throw error;
    return fallback;
  }
}
