import type { Case, Commit, EnginePoint, Moment, Next, ServerPoint, Victim } from "./plan";
import { type Scenario, scenarios, type Target } from "./scenarios";

const VICTIMS: readonly Victim[] = ["host", "engine", "both"];

const AROUND_WRITES: readonly EnginePoint[] = [
  "before-pending-write",
  "after-pending-write",
  "before-call",
  "after-call",
  "before-state-write",
  "after-state-write",
];

// A refresh writes the state once, at the end of the run: there is nothing to interrupt between its reads.
const AROUND_READS: readonly EnginePoint[] = ["before-call", "after-call"];

const EVERY_COMMIT: readonly Commit[] = ["now", "never", "late", "later"];

/** What is left out of a matrix. */
export interface Reach {
  /** Whether the engine publishes its moments: the Pulumi CLI does not. */
  readonly engineMoments: boolean;
}

/**
 * Every run of the matrix. What cannot exist is left out:
 * - what becomes of a request is open only from when it has been sent until an answer proves what did become of it
 * - a request that only reads has no effect that could come late
 * - what is committed after a `destroy` has ended: no state is left that could tell of it, so no command can
 */
export function matrix({ engineMoments }: Reach): Case[] {
  return scenarios.flatMap((scenario) =>
    scenario.targets.flatMap((target) =>
      momentsOf(target)
        .filter(({ at }) => engineMoments || at !== "engine")
        .flatMap((moment) =>
          commitsOf(moment).flatMap((commit) =>
            VICTIMS.flatMap((victim) =>
              scenario.next
                .filter((next) => commit !== "later" || next !== "destroy")
                .map((next) => ({
                  id: idOf(scenario, moment, victim, commit, next),
                  scenario: scenario.name,
                  moment,
                  victim,
                  commit,
                  next,
                })),
            ),
          ),
        ),
    ),
  );
}

function momentsOf({ urn, op, requests, returns }: Target): Moment[] {
  const points = op === "read" ? AROUND_READS : AROUND_WRITES;
  const [verb = ""] = op.split("-");
  const engine = points.map((point): Moment => ({ at: "engine", point, urn, op: point.endsWith("-call") ? verb : op }));
  const provider = requests.flatMap(({ route, before }) =>
    (["before-send", "after-send", "after-answer", "after-body"] as const).map(
      (point): Moment => ({ at: "provider", point, route, nth: before + 1 }),
    ),
  );
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

function idOf({ name }: Scenario, moment: Moment, victim: Victim, commit: Commit, next: Next): string {
  const where = moment.at === "engine" ? `${moment.op} ${moment.urn}` : `${moment.route} #${moment.nth}`;
  return [name, where, moment.point, `kill ${victim}`, `commit ${commit}`, next].join(" | ");
}
