/** How the program uses keyplane: by Pulumi's dynamic provider, or by the provider plugin for all languages. */
export type FrontEnd = "dynamic" | "plugin";

/** The process that is killed: the provider's process alone, the engine alone, or both. */
export type Victim = "host" | "engine" | "both";

/**
 * When the service carries out the request that is under way at the kill: at once, never, late (after the crash, before
 * the next command) or later (when the crash seems to be healed).
 */
export type Commit = "now" | "never" | "late" | "later";

/**
 * The command after the crash: `up`; `refresh` and `up`; `destroy`; or `back`, an `up` of the program as it was before.
 */
export type Next = "up" | "refresh" | "destroy" | "back";

/** A moment at which the engine publishes on its channel. */
export type EnginePoint =
  | "before-pending-write"
  | "after-pending-write"
  | "before-call"
  | "after-call"
  | "before-state-write"
  | "after-state-write";

/** A moment at which the provider publishes on its channel. */
export type ProviderPoint = "before-send" | "after-send" | "after-answer" | "after-body" | "before-return";

/** Where the service holds a request. */
export type ServerPoint = "held-before-commit" | "held-after-commit";

/** A moment of a run. */
export type Moment =
  | { readonly at: "engine"; readonly point: EnginePoint; readonly urn: string; readonly op: string }
  | { readonly at: "provider"; readonly point: ProviderPoint; readonly route: string; readonly nth: number }
  | { readonly at: "server"; readonly point: ServerPoint; readonly route: string; readonly nth: number };

/** One run of the matrix. */
export interface Case {
  /** Unique, and stable over runs of the matrix. */
  readonly id: string;
  readonly scenario: string;
  readonly moment: Moment;
  readonly victim: Victim;
  readonly commit: Commit;
  readonly next: Next;
}
