import type { Effect } from "../request-log";
import type { KeyEntity } from "../state/entities";
import type { OperationCourse, OperationSubject } from "../state/operations";
import type { State } from "../state/state";

/** A JSON schema in OpenAPI 3.1 format. */
export type Schema = Record<string, unknown>;

/** An authenticated request for a route. */
export interface Call {
  state: State;
  caller: KeyEntity;
  /** The decoded path parameters. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The parsed body, or `undefined` if the request has none. */
  body: unknown;
  /** Receives what the route commits. */
  effects: Effect[];
}

/** The response of a route. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** One endpoint: its handler, and its description in the OpenAPI document. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** The path template below the base URL, such as `/api_keys/{key_id}`. */
  path: string;
  summary: string;
  /** Schemas of the path parameters. @default string */
  params?: Record<string, Schema>;
  /** Schemas of the query parameters. All are optional. */
  query?: Record<string, Schema>;
  /** Schema of the request body. */
  body?: Schema;
  /** Status and schema of the response. */
  answer: { status: number; schema: Schema };
  /** Whether a request counts as polling an operation, which moves the clock in mode `auto`. */
  polls?: boolean;
  /** Requests per second, if the public service allows fewer than for other routes. @default 40 */
  perSecond?: number | undefined;
  /** Handles the call. Throws `ApiError`. */
  handle(call: Call): Answer;
}

/** A reference to a schema of `routes/schemas.ts`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** Schema of an object with these required fields and, optionally, other fields. */
export const object = (properties: Record<string, Schema>, others: Record<string, Schema> = {}): Schema => ({
  type: "object",
  required: Object.keys(properties),
  properties: { ...properties, ...others },
});

/** Schema of an array. */
export const array = (items: Schema): Schema => ({ type: "array", items });

/** The pagination part of a page. Empty if no page follows. */
export const pagination = (cursor: string | undefined, limit: number) =>
  cursor === undefined ? {} : { pagination: { cursor, limit } };

/** Starts operations for a call and records them as effects. */
export function startOperations(call: Call, subjects: (OperationSubject & OperationCourse)[]) {
  const operations = call.state.startOperations(subjects);
  for (const { id, projectId, action } of operations) {
    call.effects.push({ kind: "operation-started", projectId, operationId: id, action });
  }
  return operations;
}
