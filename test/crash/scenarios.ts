import type { Rule } from "keyplane/testing";
import { RECIPIENTS } from "../recipients";
import { DELETE, POST } from "../routes";
import type { Moment, Next, Plan } from "./plan";

/** A key of the program: its arguments, whether it rotates, and whether a consumer holds or uses it. */
export interface DeclaredKey {
  readonly rotating?: true;
  readonly consumer?: "holds" | "uses";
  readonly [argument: string]: unknown;
}

/** What a program declares: its keys by name. */
export type Keys = Readonly<Record<string, DeclaredKey>>;

/** A run, and what the service does in it. */
interface Run {
  readonly command: "up" | "destroy";
  readonly program: Keys;
  readonly rules?: readonly Rule[];
}

/** A run that is interrupted at each of its moments. */
export interface Scenario extends Run, Plan {
  /** The runs before it. A killed one leaves what a crash leaves. */
  readonly before: readonly (Omit<Run, "command"> & { readonly killedAt?: Moment })[];
  /** How much time passes after them, in milliseconds. */
  readonly waitMs?: number;
  /** Whether the run revokes the first key of `a` while a consumer still has it. */
  readonly revokesHeld?: true;
}

/** Stand for the id of the first key of `a`, and for the key that was created by hand. */
export const KEY_OF_A = "KEY-OF-A";
export const HAND_ID = "HAND-ID";
export const HAND_KEY = "HAND-KEY";

/** The exact name of a key. */
export const EXACT = "exactly-a";

const triggered = (trigger: string) => ({ rotationTriggers: { trigger } });
const held = (args: object): Keys => ({ a: { consumer: "holds", ...triggered("0"), ...args } });
const b: Keys = { b: { consumer: "uses", ...triggered("0") } };
const a = (args: object = {}): Keys => ({ ...held(args), ...b });
const rotating = (args: object = {}): Keys => a({ rotating: true, ...args });
const exact = { name: EXACT, onNameConflict: "revokeUnused" };
const rotated = rotating({ ...triggered("2"), gracePeriod: "1s" });

/** The answer to the first creation is lost, but the service carries it out. */
const lost: readonly Rule[] = [{ route: POST, fault: "close", commit: "before" }];

const killedAtPost: Moment = { message: { channel: "provider", point: "after-send", route: POST }, nth: 1 };

const EVERY: readonly Next[] = ["up", "destroy", "back"];
const FORTH: readonly Next[] = ["up", "destroy"];

/**
 * The time between two runs after which a rotation cannot have been a part of the other one, in milliseconds: keyplane gives
 * the clocks of both a margin of 2 s, and reports such a key instead of revoking it. Zero without a rotation.
 */
export function marginOf(program: Keys): number {
  return Object.values(program).some(({ rotating }) => rotating) ? 3_000 : 0;
}

/** The program with another trigger for each key, so that each gets a new one. */
export function changed(program: Keys): Keys {
  const change = ([name, key]: readonly [string, DeclaredKey]) => [name, { ...key, ...triggered("changed") }];
  return Object.fromEntries(Object.entries(Object.keys(program).length === 0 ? b : program).map(change));
}

const up = (program: Keys) => ({ command: "up", program, nexts: EVERY }) as const;
const after = (...programs: readonly Keys[]) => ({ before: programs.map((program) => ({ program })) });

/** Everything that keyplane does with keys. */
export const scenarios: readonly Scenario[] = [
  { name: "replace", ...after(a(triggered("1"))), ...up(a(triggered("2"))) },
  {
    name: "replace, answer lost",
    isVariant: true,
    ...after(a(triggered("1"))),
    ...up(a(triggered("2"))),
    rules: lost,
    nexts: FORTH,
  },
  {
    name: "replace, exact name",
    isVariant: true,
    ...after(a({ ...exact, ...triggered("1") })),
    ...up(a({ ...exact, ...triggered("2") })),
    nexts: FORTH,
  },
  { name: "create", ...after(b), ...up(a()) },
  { name: "create, first", ...after(), ...up(held({})) },
  { name: "create, answer lost", isVariant: true, ...after(b), ...up(a()), rules: lost },
  { name: "create, exact name", isVariant: true, ...after(b), ...up(a(exact)), nexts: FORTH },
  {
    name: "create, sealed, with a deadline",
    isVariant: true,
    ...after(b),
    ...up(a({ sealTo: RECIPIENTS[0], maxAge: "90d" })),
  },
  {
    name: "create, operations",
    isVariant: true,
    ...after(b),
    ...up(a()),
    rules: [{ route: POST, operations: [{ action: "start_compute" }] }],
  },
  { name: "create, rotating", isVariant: true, ...after(b), ...up(rotating()) },
  {
    name: "create again",
    isVariant: true,
    before: [{ program: b }, { program: a(), killedAt: killedAtPost }],
    ...up(a()),
  },
  {
    name: "adopt",
    isVariant: true,
    ...after(b),
    ...up(rotating({ adopt: { id: HAND_ID, key: HAND_KEY } })),
    nexts: FORTH,
  },
  { name: "rotate", ...after(rotating(triggered("1"))), ...up(rotating(triggered("2"))) },
  {
    name: "rotate, answer lost",
    isVariant: true,
    ...after(rotating(triggered("1"))),
    ...up(rotating(triggered("2"))),
    rules: lost,
    nexts: FORTH,
  },
  {
    name: "rotate, other recipients",
    isVariant: true,
    ...after(rotating({ sealTo: RECIPIENTS[0] })),
    ...up(rotating({ sealTo: RECIPIENTS[1] })),
  },
  {
    name: "rotate again",
    isVariant: true,
    before: [{ program: rotating(triggered("1")) }, { program: rotating(triggered("2")), killedAt: killedAtPost }],
    ...up(rotating(triggered("2"))),
    nexts: FORTH,
  },
  {
    name: "retire",
    ...after(rotating({ ...triggered("1"), gracePeriod: "1s" }), rotated),
    waitMs: 3_000,
    ...up(rotated),
    nexts: FORTH,
  },
  {
    name: "revoke current",
    ...after(rotating()),
    ...up(rotating({ revokeNow: KEY_OF_A })),
    nexts: FORTH,
    revokesHeld: true,
  },
  {
    name: "revoke previous",
    isVariant: true,
    ...after(rotating(triggered("1")), rotating(triggered("2"))),
    ...up(rotating({ ...triggered("2"), revokeNow: KEY_OF_A })),
    nexts: FORTH,
  },
  {
    name: "update",
    isVariant: true,
    // The answer to the first creation had no secret, and its key could not be revoked. The update has to revoke it.
    before: [
      { program: b },
      {
        program: a(),
        rules: [
          { route: POST, omit: ["key"] },
          { route: DELETE, status: 500, count: 3 },
        ],
      },
    ],
    ...up(a({ operationTimeout: "5m" })),
    nexts: FORTH,
  },
  { name: "remove", ...after(a()), ...up(b) },
  {
    name: "remove, rotating",
    isVariant: true,
    ...after(rotating(triggered("1")), rotating(triggered("2"))),
    ...up(b),
    nexts: FORTH,
  },
  { name: "destroy", ...after(a()), command: "destroy", program: a(), nexts: FORTH },
  {
    name: "destroy after a kill",
    isVariant: true,
    before: [{ program: b }, { program: a(), killedAt: killedAtPost }],
    command: "destroy",
    program: a(),
    nexts: FORTH,
  },
];

export function scenarioOf(name: string): Scenario {
  const scenario = scenarios.find((each) => each.name === name);
  if (scenario === undefined) throw new Error(`no scenario is called ${name}`);
  return scenario;
}
