import { needsOwn } from "./replay/replay";
import { Turns, testReplays } from "./replay/test-replays";

// Like `conformance.test.ts`, but each case has its own processes, as a user's run does. Starting them takes nearly all
// of the time, so only a few cases of different kinds run here. KEYPLANE_OWN_PROCESSES=all replays every case in this
// way.
const SOME = /^(alias-reuse|continue-on-error.*|get-by-id|refresh-.*|target-dependents)$/;
const isAll = process.env.KEYPLANE_OWN_PROCESSES === "all";

const turns = new Turns([0, 1]);

testReplays({
  isWanted: (recorded) => !needsOwn(recorded) && (isAll || SOME.test(recorded.name)),
  inTurn: (_recorded, work) => turns.take(() => work(undefined)),
});
