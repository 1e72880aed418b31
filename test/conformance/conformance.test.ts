import { engineOf } from "keyplane/testing";
import { afterAll } from "vitest";
import { needsOwn, PROBE } from "./replay/replay";
import { SharedProcesses } from "./replay/shared-processes";
import { Turns, testReplays } from "./replay/test-replays";

// The programs and providers of many cases share processes, because starting them would take most of the time. Two cases
// run at a time.
const isEmbedded = engineOf(process.env) === "embedded";
const shared = isEmbedded ? [new SharedProcesses(PROBE), new SharedProcesses(PROBE)] : [];
const turns = new Turns<{ readonly processes?: SharedProcesses }>(
  isEmbedded ? shared.map((processes) => ({ processes })) : [{}, {}],
);

afterAll(() => {
  for (const processes of shared) processes.close();
});

testReplays({
  isWanted: () => true,
  inTurn: (recorded, work) => turns.take(({ processes }) => work(needsOwn(recorded) ? undefined : processes)),
});
