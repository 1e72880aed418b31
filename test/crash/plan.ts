/** The process that is killed: the provider's process alone, the engine alone, or both. */
export type Victim = "host" | "engine" | "both";

/** When the service carries out the request that is under way at the kill: at once, or when the crash seems to be healed. */
export type Commit = "now" | "later";

/** What follows: `up`; `destroy`; or `back`, an `up` of the program as it was before, and then one that changes its keys. */
export type Next = "up" | "destroy" | "back";

/** A message of a run. Its provider says which request or verb it is about, the embedded engine which step. */
export type Message =
  | { readonly channel: "provider"; readonly point: string; readonly route: string }
  | { readonly channel: "engine"; readonly point: string; readonly urn: string; readonly op: string };

/** The moment of a run at which it is killed. */
export interface Moment {
  readonly message: Message;
  /** How many equal messages there are up to this one. */
  readonly nth: number;
}

/** One run of the matrix. */
export interface Case extends Moment {
  /** Unique, and stable over runs of the matrix. */
  readonly id: string;
  readonly scenario: string;
  readonly victim: Victim;
  readonly commit: Commit;
  readonly next: Next;
}

/** What of a scenario decides its cases. */
export interface Plan {
  readonly name: string;
  readonly nexts: readonly Next[];
  /** Whether another scenario has the same verbs and writes, and only the requests differ. */
  readonly isVariant?: true;
}

const VERBS = ["create", "update", "delete"];

/**
 * The kills of a run: at each request and each step, without those that cannot differ from another one.
 * - What happens between two requests or writes changes nothing outside, so one moment stands for all of them.
 * - The provider is idle while the engine writes, so it makes no difference whether it survives the engine.
 * - A request that only reads has no effect, and is repeated for a wait.
 * - What follows is tried whole where both processes die. Where one survives, it can only do more: `up` shows that.
 * - Where only the requests differ from another scenario, only both die, and only at a request or the end of a verb.
 * @param messages - What an uninterrupted run has said, in order.
 */
export function casesOf(scenario: Plan, messages: readonly Message[]): Case[] {
  const seen = new Map<string, number>();
  return messages.flatMap((message) => {
    const key = JSON.stringify(message);
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    return killsAt(message, nth)
      .filter(({ victim }) => victim === "both" || !scenario.isVariant)
      .flatMap(({ victim, commit, isWhole }) =>
        (isWhole ? scenario.nexts : UP)
          .map((next) => ({ ...{ scenario: scenario.name, message, nth, victim, commit, next }, id: "" }))
          .map((one) => ({ ...one, id: idOf(one) })),
      );
  });
}

interface Kill {
  readonly victim: Victim;
  readonly commit: Commit;
  /** Whether each of the commands that can follow is tried, and not only `up`. */
  readonly isWhole: boolean;
}

const UP: readonly Next[] = ["up"];
const BOTH: Kill = { victim: "both", commit: "now", isWhole: true };
const HOST: Kill = { victim: "host", commit: "now", isWhole: false };
const ENGINE: Kill = { victim: "engine", commit: "now", isWhole: false };

function killsAt(message: Message, nth: number): readonly Kill[] {
  const { point } = message;
  if (message.channel === "engine") {
    if (!VERBS.some((verb) => message.op.startsWith(verb))) return [];
    const isConsumer = message.urn.endsWith("-consumer");
    if (point === "after-pending-write" || (isConsumer && point === "before-state-write")) {
      return [{ ...ENGINE, isWhole: true }];
    }
    return point === "after-state-write" ? [ENGINE] : [];
  }
  const [first = ""] = message.route.split(" ");
  if (point === "before-return" && VERBS.includes(first)) return [BOTH, HOST];
  if (point !== "after-send") return [];
  if (first === "GET") return nth <= 2 ? [BOTH] : [];
  return first === "POST" ? [BOTH, HOST, ENGINE, { ...BOTH, commit: "later", isWhole: false }] : [BOTH, HOST, ENGINE];
}

function idOf({ scenario, message, nth, victim, commit, next }: Omit<Case, "id">): string {
  const where = message.channel === "engine" ? `${message.op} ${message.urn}` : `${message.route} #${nth}`;
  return [scenario, where, message.point, `kill ${victim}`, `commit ${commit}`, next].join(" | ");
}
