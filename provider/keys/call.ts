import type { Stack } from "../stack/stack";
import type { EngineCall } from "../stack/stack-facts";
import type { KeyList } from "./key-list";

/** Where a call shows what happens: the progress of its resource, and its diagnostics. */
export interface Log {
  /** Shows what the call waits for. The next text replaces it. */
  readonly progress: (text: string) => void;
  readonly info: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** One call of the engine that can send requests. Nothing in it is written. */
export interface Call extends EngineCall {
  /** The suffix in the names of the resource's keys; see `naming.ts`. Empty for a resource without keys. */
  readonly suffix: string;
  readonly keyList: KeyList;
  readonly log: Log;
  readonly stack: Stack;
  /** The resource option `customTimeouts` of this call, in milliseconds, if the front end knows it. */
  readonly timeoutMs?: number | undefined;
}
