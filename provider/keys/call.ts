import type { Stack } from "../stack/stack";
import type { Place } from "./place";

/** Where a call shows what happens: the row of its resource, and its diagnostics. */
export interface Row {
  /** Shows what the call waits for. The next text replaces it. */
  readonly progress: (text: string) => void;
  readonly info: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** One call of the engine that can send requests. Nothing in it is written. */
export interface Call {
  /** What the engine calls for; with the URN and the mark or the id, it finds its own note in the state. */
  readonly verb: "create" | "read" | "update" | "delete";
  /** The resource's URN, which ends with the name that the program gave it. */
  readonly urn: string;
  /** The resource's id; absent in a creation. */
  readonly id?: string | undefined;
  /** The mark in the names of the resource's keys; see `naming.ts`. Empty for a resource without keys. */
  readonly mark: string;
  readonly place: Place;
  readonly row: Row;
  readonly stack: Stack;
  /** The resource option `customTimeouts` of this call, in milliseconds, if the front end is told. */
  readonly timeoutMs?: number | undefined;
}
