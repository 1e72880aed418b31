import type { HttpAnswer } from "../../http";
import { keyIdOf } from "../../ids";
import { type Members, membersOf } from "../../members";
import { Reader } from "../reader";
import type { ApiKeyRecord } from "../records";
import type { KeyEndpoint } from "./key-endpoint";

/** The zero time that some services send instead of null. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

/**
 * Reads the list of keys. The account's own list must contain the key that made the request, so it cannot be empty. The
 * list of an organization can.
 */
export function readKeys(
  route: string,
  answer: HttpAnswer,
  { holdsCaller }: Pick<KeyEndpoint, "holdsCaller">,
): ApiKeyRecord[] {
  const reader = new Reader(route, answer);
  const items = reader.array(answer.json, "").map((each, at) => reader.object(each, `[${at}]`));
  if (holdsCaller && items.length === 0) {
    reader.fail("", "is an empty list, but it must contain at least the key that made the request");
  }
  const ids = new Set<string>();
  return items.map((item, at) => {
    const key = readKey(reader, item, `[${at}].`);
    if (ids.has(key.id)) reader.fail(`[${at}].id`, "occurs twice in the list");
    ids.add(key.id);
    return key;
  });
}

function readKey(reader: Reader, item: Members, path: string): ApiKeyRecord {
  const used = reader.optionalText(item, "last_used_at", path);
  const never = used === undefined || used === "" || used === ZERO_TIME;
  const createdBy = readCreator(reader, item);
  const projectId = reader.nullableText(item, "project_id", path);
  return {
    id: keyIdOf(reader.field(item, "id")) ?? reader.fail(`${path}id`, "is not a positive whole number"),
    name: reader.name(item, "name", path),
    createdAt: reader.time(item, "created_at", path),
    lastUsedAt: never ? null : reader.time(item, "last_used_at", path),
    lastUsedFromAddr: reader.optionalText(item, "last_used_from_addr", path) || null,
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(projectId === undefined ? {} : { projectId }),
  };
}

/** The list has the creator as an object; other answers have an id. */
function readCreator(reader: Reader, item: Members): string | undefined {
  const creator = reader.field(item, "created_by");
  if (typeof creator === "string") return reader.clean(creator);
  const { name, id } = membersOf(creator);
  const text = [name, id].find((each): each is string => typeof each === "string" && each !== "");
  return text === undefined ? undefined : reader.clean(text);
}
