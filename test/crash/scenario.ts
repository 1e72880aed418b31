import type { Rule } from "keyplane/testing";
import type { Next } from "./plan";

/** A key of the program: its arguments, whether it rotates, and whether a consumer holds or uses it. */
export interface DeclaredKey {
  readonly rotating?: true;
  readonly consumer?: "holds" | "uses";
  readonly [argument: string]: unknown;
}

/** What a program declares: its keys by name. */
export type Keys = Readonly<Record<string, DeclaredKey>>;

/** A step of the interrupted run, and the requests that the provider sends in it, in order. */
export interface Target {
  /** The end of the resource's URN. */
  readonly urn: string;
  /** The engine's name of the step. The verb that the engine calls is its first word, or `read` in a refresh. */
  readonly op: string;
  /**
   * The requests. For each, how many requests of the same route come before it in the run, and how many of those get no
   * answer.
   */
  readonly requests: readonly { readonly route: string; readonly before: number; readonly unanswered: number }[];
  /** Verb and resource type; absent if the same verb of the same type occurs more than once in the run. */
  readonly returns?: string;
}

/** How a state is prepared: runs of `up`, each with its program, and what happens at the service after them. */
export interface Start {
  readonly runs: readonly {
    readonly program: Keys;
    /** Whether another credential of the same account is configured before the run. */
    readonly exchange?: true;
    /** Rules of the control plane during the run. */
    readonly rules?: readonly Rule[];
    /** The consumer that fails in the run. */
    readonly failing?: string;
  }[];
  /** Creates what an earlier crash would have left. */
  readonly orphan?: true;
  /** Whether a refresh follows. */
  readonly refresh?: true;
  /** How much time passes afterwards, in milliseconds. */
  readonly waitMs?: number;
}

/** A command, which is interrupted at each of its moments. */
export interface Scenario {
  readonly name: string;
  readonly start: Start;
  readonly command: "up" | "refresh" | "destroy";
  /** The program of the interrupted command and of the healing command. */
  readonly program: Keys;
  /** The consumer that fails in the interrupted command. */
  readonly failing?: string;
  /** Whether the interrupted command continues after errors. */
  readonly continues?: true;
  /** Whether another credential of the same account is configured before the interrupted command. */
  readonly exchange?: true;
  readonly targets: readonly Target[];
  readonly next: readonly Next[];
  /** Whether the old key is revoked before the new one is created, because both have the same exact name. */
  readonly deletesFirst?: true;
  /** Faults during the interrupted command. */
  readonly faults?: readonly Rule[];
}
