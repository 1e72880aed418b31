/** What a running program tells the engine. */

import type { Properties } from "../state/property";
import type { Registration } from "./goal";

/** One message of the program. */
export type SourceEvent =
  | { readonly kind: "register"; readonly registration: Registration }
  | { readonly kind: "outputs"; readonly urn: string; readonly outputs: Properties; readonly done: () => void }
  /** The program will register nothing more. With an error if it failed. */
  | { readonly kind: "finished"; readonly error?: Error };

/** A running program, or a substitute for one. */
export interface Source {
  /** Returns the next event, or `undefined` once the source is closed. */
  next(): Promise<SourceEvent | undefined>;
  /** Returns the outputs of the stack, if the program has registered them. */
  stackOutputs(): StackOutputs | undefined;
  /** Resolves when pending stack outputs have been registered, or will not be. */
  settled(): Promise<void>;
  /** Wakes the waiting reader of the next event. */
  cancel(): void;
}

/** What the program exports. */
export interface StackOutputs {
  readonly urn: string;
  readonly outputs: Properties;
}

/** The source of runs without a program. It registers nothing. */
export const NO_PROGRAM: Source = {
  next: async () => ({ kind: "finished" }),
  stackOutputs: () => undefined,
  settled: async () => undefined,
  cancel: () => undefined,
};
