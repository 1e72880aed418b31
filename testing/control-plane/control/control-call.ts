import type { Plane } from "../plane";

/** The input of a control call. */
export interface ControlInput {
  /** The last path segment of a path that ends in `:id`. */
  id: string;
  query: URLSearchParams;
  body: unknown;
}

/** One control endpoint below `/_control`. */
export interface ControlCall {
  method: "GET" | "POST" | "DELETE";
  path: string;
  run(plane: Plane, input: ControlInput): unknown;
}
