import fc from "fast-check";
import type { OperationCourse, Rule } from "../../testing/control-plane";
import { RECIPIENTS } from "../recipients";
import type { Crash, DeclaredKey, Flags, Options, Program } from "./state";

/** One event in the life of a stack. */
export type Action =
  | ({ readonly do: "up"; readonly program: Program } & Flags)
  | ({ readonly do: "refresh" | "destroy"; readonly crash: Crash | undefined } & Flags)
  | { readonly do: "fault"; readonly rule: Rule }
  | { readonly do: "commit late" }
  /** The configuration gets another credential of the same account. */
  | { readonly do: "exchange" }
  | { readonly do: "wait"; readonly ms: number }
  /** The platform begins to work on the project that some keys wait for. */
  | { readonly do: "operation"; readonly course: OperationCourse }
  /** Somebody else revokes, uses or makes a key; which of the live ones is told by a number. */
  | { readonly do: "revoke" | "use" | "stranger"; readonly which: number }
  /** Only the plugin: a newer version of it. */
  | { readonly do: "upgrade" }
  /** With the setting `renamedFrom` or without it. */
  | { readonly do: "rename stack"; readonly keepsOwner: boolean }
  /** `pulumi state` changes a resource without a call of the provider. */
  | { readonly do: `state ${"delete" | "move" | "rename" | "taint"}`; readonly which: number }
  /** The state is that of an earlier time, as by `stack import`, also one from the middle of the last run. */
  | { readonly do: "restore"; readonly which: number; readonly midway?: boolean }
  /** Another backend, or a copy of the stack, goes on from the same state. */
  | { readonly do: "fork" | "copy"; readonly commands: readonly Elsewhere[] }
  /** Commands in one of these stacks. */
  | { readonly do: "elsewhere"; readonly which: number; readonly commands: readonly Elsewhere[] };

/** A command of another stack. `rotate` is an `up` with new triggers. */
export type Elsewhere = "up" | "rotate" | "refresh" | "destroy";

const MINUTE_MS = 60_000;

/** Longer than the grace period of any key. */
const BEYOND_GRACE_MS = 61 * MINUTE_MS;

const triggers = fc.integer({ min: 0, max: 2 }).map((trigger) => ({ rotationTriggers: { trigger } }));

const options = fc.constantFrom<Options>({ protect: true }, { retainOnDelete: true }, { deletedWith: true });

const keyRecord = {
  ...{ rotating: fc.boolean(), consumed: fc.boolean(), waits: often(false), triggers },
  options: rarely(options, 9),
  sealTo: rarely(fc.constantFrom(...RECIPIENTS), 3),
  // No key becomes due by age within a story.
  maxAge: rarely(fc.constantFrom("400d", "9600h", "600d"), 3),
  flags: fc.record({ verify: often(false), revokeOnDelete: often(true) }),
};

const key: fc.Arbitrary<DeclaredKey> = fc
  .record(keyRecord)
  .map(({ triggers, flags, options, sealTo, maxAge, ...key }) => {
    return {
      ...key,
      ...(options && { options }),
      inputs: { ...triggers, ...flags, ...(sealTo && { sealTo }), ...(maxAge && { maxAge }) },
    };
  });

/** A key with what only the plugin has to notice by itself. */
const pluginKey: fc.Arbitrary<DeclaredKey> = fc
  .record({
    ...keyRecord,
    alias: rarely(fc.nat(3), 4),
    replacement: rarely(
      fc.oneof(
        fc.record({ deleteBeforeReplace: fc.constant(true) }),
        fc.record({ replacementTrigger: fc.integer({ min: 0, max: 2 }) }),
      ),
      3,
    ),
    revokes: rarely(fc.constantFrom("current" as const, "previous" as const), 9),
    retirement: rarely(fc.constant({ retirement: "inPlace" }), 4),
  })
  .map(({ triggers, flags, options, replacement, alias, revokes, retirement, sealTo, maxAge, ...key }) => {
    return {
      ...key,
      ...((options || replacement) && { options: { ...options, ...replacement } }),
      ...(alias !== undefined && { alias: nameOf(key, alias) }),
      ...(key.rotating && revokes && { revokes }),
      inputs: {
        ...triggers,
        ...flags,
        ...(sealTo && { sealTo }),
        ...(maxAge && { maxAge }),
        ...(key.rotating && retirement),
      },
    };
  });

const adoptedKey: fc.Arbitrary<DeclaredKey> = fc
  .record({ consumed: fc.boolean(), triggers })
  .map(({ triggers, ...key }) => ({ ...key, rotating: true, adopts: true, inputs: triggers }));

/** A key with an exact name. If it were used, it would block its successor. */
const exactKey: fc.Arbitrary<DeclaredKey> = fc
  .record({ consumed: fc.boolean(), triggers })
  .map(({ triggers, ...key }) => {
    return { ...key, rotating: false, inputs: { ...triggers, name: "exact", onNameConflict: "revokeUnused" } };
  });

const programOf = (key: fc.Arbitrary<DeclaredKey>): fc.Arbitrary<Program> =>
  fc
    .tuple(
      fc.array(fc.option(key, { freq: 3, nil: undefined }), { minLength: 1, maxLength: 4 }),
      rarely(exactKey, 3),
      rarely(adoptedKey, 5),
    )
    .map(([keys, exact, adopted]) => {
      const entries = keys.flatMap((each, at) => (each === undefined ? [] : [[nameOf(each, at), each] as const]));
      if (exact !== undefined) entries.push(["exact", exact]);
      if (adopted !== undefined) entries.push(["adopted", adopted]);
      return entries;
    })
    .filter((entries) => entries.length > 0)
    .map((entries) => withValidAliases(Object.fromEntries(entries)));

const program = programOf(key);

const crash: fc.Arbitrary<Crash | undefined> = fc.option(
  fc.record({
    step: fc.integer({ min: 1, max: 8 }),
    when: fc.oneof(fc.constantFrom("before", "unsaved", "saved"), fc.integer({ min: 1, max: 8 })),
    victim: fc.constantFrom("both", "both", "engine", "provider"),
  }),
  { nil: undefined },
);

const course: fc.Arbitrary<OperationCourse> = fc.record({
  runningMs: fc.constantFrom(0, 7_000, 20_000),
  outcome: fc.constantFrom("finished", "finished", "failed"),
});

const fault = fc.constantFrom<Omit<Rule, "route">>(
  { status: 500 },
  { status: 500, commit: "before" },
  { status: 429, retryAfter: 1 },
  { status: 503 },
  { status: 404 },
  { status: 401 },
  { fault: "reset" },
  { fault: "close", commit: "before" },
  { fault: "close", commit: "late" },
  { fault: "close", commit: "late", lateMs: 10_000 },
  { fault: "truncate-length" },
  { fault: "html", commit: "before" },
  { fault: "garbage" },
  { omit: ["id"] },
  { omit: ["key"] },
  { patch: { revoked: false } },
  { page: "empty" },
  // Wrong answers of a faulty service, or of another server in its place.
  { lacks: 0 },
  { lacks: 1 },
  { lacks: 2 },
  { patch: { created_at: "soon", created_by: [7], operations: [null, {}] } },
  { omit: ["created_at"], headers: { Date: "Fri, 31 Dec 99999 23:59:59 GMT" } },
);

const strikes = { skip: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) };

const faultRule: fc.Arbitrary<Rule> = fc
  .record({
    ...strikes,
    route: fc.constantFrom("POST /api_keys", "GET /api_keys", "DELETE /api_keys/{key_id}"),
    fault,
  })
  .map(({ fault, ...of }) => ({ ...of, ...fault }));

/** The answer to a creation can contain operations that must end before the key is ready. */
const operationsRule: fc.Arbitrary<Rule> = fc.record({ ...strikes, course }).map(({ course, ...of }) => ({
  ...of,
  route: "POST /api_keys",
  operations: [{ action: "apply_config", ...course }],
}));

const rule = fc.oneof({ weight: 6, arbitrary: faultRule }, { weight: 1, arbitrary: operationsRule });

const POSITIONS = [0, 1, 2, 3];
const AUTO_NAMED = [...POSITIONS.flatMap((at) => [`plain-${at}`, `rotating-${at}`]), "adopted"];
const autoNamed = fc.subarray(AUTO_NAMED, { minLength: 1 });
const names = fc.subarray([...AUTO_NAMED, "exact"], { minLength: 1 });

/**
 * Flags that limit a run or force a replacement. A forced replacement of a key with an exact name blocks itself, as
 * documented.
 */
const flags: fc.Arbitrary<Flags> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ away: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ target: names, targetDependents: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ exclude: names }) },
  { weight: 1, arbitrary: fc.record({ replace: autoNamed }) },
  { weight: 1, arbitrary: fc.record({ target: names, replace: autoNamed, away: often(false) }) },
  { weight: 3, arbitrary: fc.record({ failing: names, continueOnError: often(true) }) },
  { weight: 1, arbitrary: fc.record({ continueOnError: fc.constant(true), away: often(false) }) },
  { weight: 1, arbitrary: fc.record({ unreadable: fc.constant(true), failing: rarely(names, 1) }) },
  { weight: 1, arbitrary: fc.record({ planned: fc.constant(true) }) },
);

const up: fc.Arbitrary<Action> = fc
  .record({ program, refresh: often(false), crash, flags: rarely(flags, 2) })
  .map(({ flags, ...up }) => ({ do: "up", ...up, ...flags }));

const order = { together: fc.boolean(), reversed: fc.boolean() };

const pluginUp: fc.Arbitrary<Action> = fc
  .record({ program: programOf(pluginKey), refresh: often(false), crash, flags: rarely(flags, 2), ...order })
  .map(({ flags, ...up }) => ({ do: "up", ...up, ...flags }));

const pluginDestroy: fc.Arbitrary<Action> = fc
  .record({ crash, reversed: fc.boolean(), failing: rarely(names, 3), continueOnError: fc.boolean() })
  .map((destroy) => ({ do: "destroy", ...destroy }));

const wait: fc.Arbitrary<Action> = fc.record({
  do: fc.constant("wait" as const),
  ms: fc.nat(180).map((n) => n * MINUTE_MS),
});

/** A rotation that is interrupted at some point, then the same program again, after the grace period of the old key. */
const lateHealing: fc.Arbitrary<Action[]> = fc
  .record({ consumed: fc.boolean(), crash, late: crash })
  .map(({ consumed, crash, late }) => {
    const program = (trigger: number): Program => ({
      "rotating-0": { rotating: true, consumed, inputs: { rotationTriggers: { trigger } } },
    });
    const upOf = (trigger: number, crash?: Crash): Action => ({
      do: "up",
      program: program(trigger),
      refresh: false,
      crash,
    });
    const pause: Action = { do: "wait", ms: BEYOND_GRACE_MS };
    return [upOf(7), upOf(8, crash), pause, upOf(8, late), pause, upOf(8)];
  });

const refresh: fc.Arbitrary<Action> = fc.record({
  do: fc.constant("refresh" as const),
  crash,
  clearPending: often(false),
});

const commands = fc.array(fc.constantFrom<Elsewhere>("up", "up", "rotate", "refresh", "destroy"), {
  minLength: 1,
  maxLength: 3,
});

/** Changes of the state that no provider is told. */
const aside: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("fork" as const, "copy" as const), commands }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("elsewhere" as const), which: fc.nat(9), commands }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const), which: fc.nat(9), midway: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "state delete" as const,
        "state move" as const,
        "state rename" as const,
        "state taint" as const,
      ),
      which: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename stack" as const), keepsOwner: fc.boolean() }) },
);

const outside = [
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fault" as const), rule }) },
  { weight: 1, arbitrary: fc.constant({ do: "commit late" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "exchange" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("operation" as const), course }) },
  { weight: 2, arbitrary: wait },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("revoke" as const, "use" as const, "stranger" as const),
      which: fc.nat(9),
    }),
  },
] satisfies { weight: number; arbitrary: fc.Arbitrary<Action> }[];

const event: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: up },
  { weight: 1, arbitrary: refresh },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("destroy" as const), crash }) },
  { weight: 2, arbitrary: aside },
  ...outside,
);

const pluginEvent: fc.Arbitrary<Action> = fc.oneof(
  { weight: 9, arbitrary: pluginUp },
  { weight: 1, arbitrary: refresh },
  { weight: 1, arbitrary: pluginDestroy },
  { weight: 3, arbitrary: aside },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("upgrade" as const) }) },
  ...outside,
);

const storyOf = (event: fc.Arbitrary<Action>): fc.Arbitrary<Action[]> =>
  fc
    .array(fc.oneof({ weight: 15, arbitrary: event.map((one) => [one]) }, { weight: 1, arbitrary: lateHealing }), {
      minLength: 1,
      maxLength: 10,
    })
    .map((parts) => parts.flat());

/** A story of a stack. */
export const story = storyOf(event);

/** A story of a stack of the plugin. */
export const pluginStory = storyOf(pluginEvent);

/** The program without aliases that name another of its keys, or one that another key was renamed from. */
function withValidAliases(program: Program): Program {
  const taken = new Set(Object.keys(program));
  const entries = Object.entries(program).map(([name, { alias, ...key }]) => {
    if (alias === undefined || taken.has(alias)) return [name, key] as const;
    taken.add(alias);
    return [name, { ...key, alias }] as const;
  });
  return Object.fromEntries(entries);
}

/** The resource type of a name never changes. */
function nameOf({ rotating }: Pick<DeclaredKey, "rotating">, at: number): string {
  return `${rotating ? "rotating" : "plain"}-${at}`;
}

function often(value: boolean): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 9 }).map((n) => (n === 0 ? !value : value));
}

/** Undefined `times` times as often as a value. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, times: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: times, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}
