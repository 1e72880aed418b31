import type { Plane } from "../plane";

/** What a control call is given. */
export interface ControlInput {
  /** The last segment of a path that ends in `:id`. */
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
