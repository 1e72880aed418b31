import { isApiError } from "../../errors";
import type { HttpClient } from "../../http";
import { keyIdOf } from "../../ids";
import { Reader } from "../reader";
import type { ReadOptions } from "../records";

const WHO = "GET /auth";

export interface Caller {
  /** Kind of credential, e.g. `api_key_user` or `api_key_org`; the service may add kinds at any time. */
  readonly method: string;
  /** Id of the key itself, if the service provides it. */
  readonly keyId?: string;
}

/** Asks who the credential belongs to (`GET /auth`). Returns `undefined` if the service has no such call. */
export async function readCaller(http: HttpClient, options: ReadOptions = {}): Promise<Caller | undefined> {
  try {
    const request = { method: "GET", route: WHO, path: "/auth", replay: "safe", signal: options.signal } as const;
    const answer = await http.request(request);
    const reader = new Reader(WHO, answer);
    const body = reader.object(answer.json, "");
    const keyId = keyIdOf(reader.field(body, "auth_data"));
    return { method: reader.text(body, "auth_method", ""), ...(keyId !== undefined && { keyId }) };
  } catch (error) {
    if (isApiError(error) && error.kind === "not_found") return undefined;
    throw error;
  }
}
