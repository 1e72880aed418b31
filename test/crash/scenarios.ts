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
  /** The consumer that fails in the interrupted command. The command continues after errors. */
  readonly failing?: string;
  /** Whether another credential of the same account is configured before the interrupted command. */
  readonly exchange?: true;
  readonly targets: readonly Target[];
  readonly next: readonly Next[];
  /** Whether the old key is revoked before the new one is created, because both have the same exact name. */
  readonly deletesFirst?: true;
  /** Faults during the interrupted command. */
  readonly faults?: readonly Rule[];
}

const POST = "POST /api_keys";
const LIST = "GET /api_keys";
const DELETE = "DELETE /api_keys/{key_id}";

const OWNER = "Owner::keyplane";
const LEDGER = "Ledger::keyplane";
const A = "ApiKey::a";
const CONSUMER = "Consumer::a-consumer";

const request = (route: string, before = 0, unanswered = 0) => ({ route, before, unanswered });

const one: Keys = { a: { consumer: "holds" } };
const other: Keys = { b: { consumer: "uses" } };
const two: Keys = { ...one, ...other };
const triggered = (trigger: string): Keys => ({ ...other, a: { consumer: "holds", rotationTriggers: { trigger } } });
const exact = (trigger: string): Keys => ({
  a: { consumer: "holds", name: "exactly-a", onNameConflict: "revokeUnused", rotationTriggers: { trigger } },
});
const rotating = (args: object): Keys => ({ ...other, a: { rotating: true, consumer: "holds", ...args } });
const ROTATING = "RotatingApiKey::a";
const lost: Rule = { route: POST, fault: "close", commit: "before" };

const EVERY: readonly Next[] = ["up", "refresh", "destroy"];
const EVERY_AND_BACK: readonly Next[] = [...EVERY, "back"];

const rotated = rotating({ rotationTriggers: { trigger: "2" }, gracePeriod: "1s" });

/** A key was rotated, and the grace period of its predecessor is over. */
const graceOver: Start = {
  runs: [{ program: rotating({ rotationTriggers: { trigger: "1" }, gracePeriod: "1s" }) }, { program: rotated }],
  waitMs: 1_500,
};

/** Everything that keyplane does with keys. Each scenario is a run that can be interrupted. */
export const scenarios: readonly Scenario[] = [
  {
    name: "first create",
    start: { runs: [] },
    command: "up",
    program: one,
    targets: [
      { urn: OWNER, op: "create", requests: [request(LIST)], returns: "create Owner" },
      { urn: A, op: "create", requests: [request(POST)], returns: "create ApiKey" },
      { urn: LEDGER, op: "create", requests: [], returns: "create Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "create",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    targets: [{ urn: A, op: "create", requests: [request(POST)], returns: "create ApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "create, answer lost",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    faults: [lost],
    targets: [{ urn: A, op: "create", requests: [request(LIST), request(DELETE), request(POST, 1, 1)] }],
    next: EVERY,
  },
  {
    name: "replace",
    start: { runs: [{ program: triggered("1") }] },
    command: "up",
    program: triggered("2"),
    targets: [
      { urn: A, op: "create-replacement", requests: [request(POST)], returns: "create ApiKey" },
      { urn: CONSUMER, op: "update", requests: [] },
      { urn: LEDGER, op: "update", requests: [request(LIST)], returns: "update Ledger" },
      { urn: A, op: "delete-replaced", requests: [request(DELETE)], returns: "delete ApiKey" },
    ],
    next: EVERY_AND_BACK,
  },
  {
    name: "replace, exact name",
    start: { runs: [{ program: exact("1") }] },
    deletesFirst: true,
    command: "up",
    program: exact("2"),
    targets: [
      { urn: A, op: "delete-replaced", requests: [request(DELETE)], returns: "delete ApiKey" },
      { urn: A, op: "create-replacement", requests: [request(LIST), request(POST)], returns: "create ApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "update",
    // The answer to the first creation had no id, and that key could not be revoked. The update has to revoke it.
    start: {
      runs: [
        { program: other },
        {
          program: two,
          rules: [
            { route: POST, omit: ["key"] },
            { route: DELETE, status: 500, count: 3 },
          ],
        },
      ],
    },
    command: "up",
    program: { ...two, a: { ...one.a, operationTimeout: "5m" } },
    targets: [{ urn: A, op: "update", requests: [request(DELETE)], returns: "update ApiKey" }],
    next: EVERY,
  },
  {
    name: "refresh",
    start: { runs: [{ program: two }], orphan: true },
    command: "refresh",
    program: two,
    targets: [
      { urn: A, op: "read", requests: [request(LIST)] },
      { urn: LEDGER, op: "read", requests: [], returns: "read Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "sweep",
    start: { runs: [{ program: two }], orphan: true, refresh: true },
    command: "up",
    program: two,
    targets: [{ urn: LEDGER, op: "update", requests: [request(LIST), request(DELETE)], returns: "update Ledger" }],
    next: EVERY,
  },
  {
    name: "remove",
    start: { runs: [{ program: two }] },
    command: "up",
    program: other,
    targets: [{ urn: A, op: "delete", requests: [request(DELETE)], returns: "delete ApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "destroy",
    start: { runs: [{ program: one }], orphan: true },
    command: "destroy",
    program: one,
    targets: [
      { urn: LEDGER, op: "delete", requests: [], returns: "delete Ledger" },
      { urn: CONSUMER, op: "delete", requests: [] },
      { urn: A, op: "delete", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" },
      { urn: OWNER, op: "delete", requests: [request(DELETE, 1)], returns: "delete Owner" },
    ],
    next: EVERY,
  },
  {
    name: "exchange",
    start: { runs: [{ program: one }] },
    exchange: true,
    command: "up",
    program: two,
    targets: [{ urn: OWNER, op: "update", requests: [request(LIST)], returns: "update Owner" }],
    next: EVERY,
  },
  {
    name: "destroy after an exchange",
    start: { runs: [{ program: one }, { program: one, exchange: true }] },
    command: "destroy",
    program: one,
    targets: [
      { urn: A, op: "delete", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" },
      { urn: OWNER, op: "delete", requests: [], returns: "delete Owner" },
    ],
    next: EVERY,
  },
  {
    name: "rotate",
    start: { runs: [{ program: rotating({ rotationTriggers: { trigger: "1" } }) }] },
    command: "up",
    program: rotating({ rotationTriggers: { trigger: "2" } }),
    targets: [{ urn: ROTATING, op: "update", requests: [request(POST)], returns: "update RotatingApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "retire, while a consumer fails",
    start: graceOver,
    command: "up",
    program: { ...rotated, c: { consumer: "holds" } },
    failing: "c-consumer",
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST)], returns: "update RotatingApiKey" },
      { urn: LEDGER, op: "update", requests: [], returns: "update Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "retire",
    start: graceOver,
    command: "up",
    program: rotated,
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST)], returns: "update RotatingApiKey" },
      { urn: LEDGER, op: "update", requests: [request(DELETE)], returns: "update Ledger" },
    ],
    next: EVERY,
  },
];
