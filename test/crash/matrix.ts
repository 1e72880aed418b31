import type { Case, Commit, EnginePoint, FrontEnd, Moment, ServerPoint, Victim } from "./plan";
import type { Target } from "./scenario";
import { scenariosOf } from "./scenarios";

const VICTIMS: readonly Victim[] = ["host", "engine", "both"];

const AROUND_WRITES: readonly EnginePoint[] = [
  "before-pending-write",
  "after-pending-write",
  "before-call",
  "after-call",
  "before-state-write",
  "after-state-write",
];

// A refresh writes the state once, at the end of the run, so there is nothing to interrupt between its reads.
const AROUND_READS: readonly EnginePoint[] = ["before-call", "after-call"];

const SENDING = ["before-send", "after-send"] as const;
const ANSWERED = ["after-answer", "after-body"] as const;

const EVERY_COMMIT: readonly Commit[] = ["now", "never", "late", "later"];

/** What a matrix contains. */
export interface Reach {
  readonly frontEnd: FrontEnd;
  /** Whether the engine publishes its moments. The Pulumi CLI does not. */
  readonly engineMoments: boolean;
}

/**
 * Every run of the matrix, except runs that are impossible or cannot differ from another run:
 * - the outcome of a request is open only after it has been sent and before an answer proves it
 * - a request that only reads has no late effect
 * - after a `destroy`, no state is left from which a command could know of a late commit
 * - a commit after the healing `up` is healed by a refresh, independent of what came before that `up`
 * - at the engine's own moments the host is idle, so it makes no difference whether it survives the engine, and killing
 *   it has the same effect at all moments before the call, and at all moments after it
 */
export function matrix({ frontEnd, engineMoments }: Reach): Case[] {
  return scenariosOf(frontEnd).flatMap((scenario) =>
    scenario.targets.flatMap((target) =>
      momentsOf(target)
        .filter(({ at }) => engineMoments || at !== "engine")
        .flatMap((moment) =>
          commitsOf(moment).flatMap((commit) =>
            victimsOf(moment).flatMap((victim) =>
              scenario.next
                .filter((next) => commit !== "later" || next === "up")
                .map((next) => ({ ...{ moment, victim, commit, next }, scenario: scenario.name }))
                .map((one) => ({ ...one, id: idOf(one) })),
            ),
          ),
        ),
    ),
  );
}

/**
 * A fixed selection of runs for every test run. Each run is the one whose moment, scenario and other choices have been
 * selected least often so far.
 */
export function reduced(cases: readonly Case[], count: number): Case[] {
  const seen = new Map<string, number>();
  const featuresOf = ({ moment, scenario, victim, commit, next }: Case): string[] =>
    Object.entries({ point: moment.point, scenario, victim, commit, next }).map((feature) => feature.join());
  const rarity = (one: Case): number => featuresOf(one).reduce((sum, name) => sum + 1 / (1 + (seen.get(name) ?? 0)), 0);
  return Array.from({ length: count }, () => {
    const rarest = cases.reduce((best, one) => (rarity(one) > rarity(best) ? one : best));
    for (const name of featuresOf(rarest)) seen.set(name, 1 + (seen.get(name) ?? 0));
    return rarest;
  });
}

function victimsOf({ at, point }: Moment): readonly Victim[] {
  if (at !== "engine") return VICTIMS;
  return point.endsWith("-call") ? ["host", "engine"] : ["engine"];
}

function momentsOf({ urn, op, requests, returns }: Target): Moment[] {
  const points = op === "read" ? AROUND_READS : AROUND_WRITES;
  const [verb = ""] = op.split("-");
  const engine = points.map((point): Moment => ({ at: "engine", point, urn, op: point.endsWith("-call") ? verb : op }));
  const provider = requests.flatMap(({ route, before, unanswered }) => [
    ...SENDING.map((point): Moment => ({ at: "provider", point, route, nth: before + 1 })),
    ...ANSWERED.map((point): Moment => ({ at: "provider", point, route, nth: before - unanswered + 1 })),
  ]);
  const server = requests.flatMap(({ route, before }) =>
    (["held-before-commit", "held-after-commit"] as const).map(
      (point): Moment => ({ at: "server", point, route, nth: before + 1 }),
    ),
  );
  const end: Moment[] =
    returns === undefined ? [] : [{ at: "provider", point: "before-return", route: returns, nth: 1 }];
  return [...engine, ...provider, ...server, ...end];
}

function commitsOf(moment: Moment): readonly Commit[] {
  const isOpen = moment.point === "after-send" || moment.point === ("held-before-commit" satisfies ServerPoint);
  const changes = moment.at !== "engine" && !moment.route.startsWith("GET ");
  return isOpen && changes ? EVERY_COMMIT : ["now"];
}

function idOf({ scenario, moment, victim, commit, next }: Omit<Case, "id">): string {
  const where = moment.at === "engine" ? `${moment.op} ${moment.urn}` : `${moment.route} #${moment.nth}`;
  return [scenario, where, moment.point, `kill ${victim}`, `commit ${commit}`, next].join(" | ");
}
