import type { Effect } from "../request-log";
import type { KeyEntity } from "../state/entities";
import type { OperationCourse, OperationSubject } from "../state/operations";
import type { State } from "../state/state";

/** A JSON schema, as OpenAPI 3.1 writes it. */
export type Schema = Record<string, unknown>;

/** A request that has been authenticated, on its way to a route. */
export interface Call {
  state: State;
  caller: KeyEntity;
  /** The path's parameters, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The parsed body; `undefined` where the request has none. */
  body: unknown;
  /** What the route commits is noted here. */
  effects: Effect[];
}

/** What a route answers. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** One endpoint: what serves it, and what the OpenAPI document says of it. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** The path's template below the base URL, such as `/api_keys/{key_id}`. */
  path: string;
  summary: string;
  /** Schemas of the path's parameters. @default string */
  params?: Record<string, Schema>;
  /** Schemas of the query's parameters, all optional. */
  query?: Record<string, Schema>;
  /** Schema of the request's body. */
  body?: Schema;
  /** Status and schema of the answer. */
  answer: { status: number; schema: Schema };
  /** Whether reading it counts as polling an operation (moves a clock in mode `auto`). */
  polls?: boolean;
  /** Requests per second, where the public service allows fewer than of other routes. @default 40 */
  perSecond?: number | undefined;
  /** Answers the call; throws `ApiError`. */
  handle(call: Call): Answer;
}

/** A reference to a schema of `routes/schemas.ts`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** A schema of an object that has all these fields, and perhaps some others. */
export const object = (properties: Record<string, Schema>, others: Record<string, Schema> = {}): Schema => ({
  type: "object",
  required: Object.keys(properties),
  properties: { ...properties, ...others },
});

/** A schema of an array. */
export const array = (items: Schema): Schema => ({ type: "array", items });

/** The part of a page that leads to the next one: none where no page follows. */
export const pagination = (cursor: string | undefined, limit: number) =>
  cursor === undefined ? {} : { pagination: { cursor, limit } };

/** Starts operations for a call and notes them as its effects. */
export function startOperations(call: Call, subjects: (OperationSubject & OperationCourse)[]) {
  const operations = call.state.startOperations(subjects);
  for (const { id, projectId, action } of operations) {
    call.effects.push({ kind: "operation-started", projectId, operationId: id, action });
  }
  return operations;
}
