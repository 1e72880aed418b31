/** What a running program says to the engine. */
import type { Registration } from "./goal";
import type { Properties } from "./property";
import type { ReadGoal, ReadResult } from "./steps";

/** One thing the program said. */
export type SourceEvent =
  | { readonly kind: "register"; readonly registration: Registration }
  | { readonly kind: "read"; readonly goal: ReadGoal; readonly done: (result: ReadResult) => void }
  | { readonly kind: "outputs"; readonly urn: string; readonly outputs: Properties; readonly done: () => void }
  /** The program will register nothing more; with an error, because it failed. */
  | { readonly kind: "finished"; readonly error?: Error };

/** Runs a program, or stands for one. */
export interface Source {
  /** The next event; undefined once the source was closed. */
  next(): Promise<SourceEvent | undefined>;
  /** The outputs of the stack, where the program has registered them. */
  stackOutputs(): StackOutputs | undefined;
  /** Resolves when stack outputs that are about to be registered have been, or will not be. */
  settled(): Promise<void>;
  /** Wakes who waits for the next event. */
  cancel(): void;
}

/** What the program exports. */
export interface StackOutputs {
  readonly urn: string;
  readonly outputs: Properties;
}

/** The source of runs without a program: it registers nothing. */
export const NO_PROGRAM: Source = {
  next: async () => ({ kind: "finished" }),
  stackOutputs: () => undefined,
  settled: async () => undefined,
  cancel: () => undefined,
};
