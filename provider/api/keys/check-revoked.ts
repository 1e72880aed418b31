import { ApiError } from "../../errors";
import type { HttpAnswer } from "../../http";
import { keyIdOf } from "../../ids";
import { Reader } from "../reader";

/**
 * Checks that the answer confirms the revocation of this key. Throws an `ApiError` if it says otherwise, and a
 * `BadAnswerError` if it does not say. In the second case, a list can decide.
 */
export function checkRevoked(route: string, id: string, answer: HttpAnswer): void {
  const reader = new Reader(route, answer);
  const body = reader.object(answer.json, "");
  const revoked = reader.field(body, "revoked") ?? reader.fail("revoked", "is missing");
  const answeredId = reader.field(body, "id") ?? reader.fail("id", "is missing");
  if (keyIdOf(answeredId) === id && revoked === true) return;
  const { status, requestId } = answer;
  const problem = revoked === true ? "is about another key" : "does not confirm that the key is revoked";
  throw new ApiError(
    "api",
    `${route} for key ${id} returned ${status}, but the answer ${problem}. Check the key in the service's console, ` +
      `and try again [request ${requestId}]`,
    { status, requestId, route },
    "",
  );
}
