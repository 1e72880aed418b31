import { needsOwn } from "./replay/replay";
import { Turns, testReplays } from "./replay/test-replays";

// As `conformance.test.ts`, with the processes that a user's run has: each case has its own. Their start takes nearly all
// of the time, so these are a few cases of different kinds; KEYPLANE_OWN_PROCESSES=all replays every case so.
const SOME = /^(alias-reuse|continue-on-error.*|get-by-id|refresh-.*|target-dependents)$/;
const isAll = process.env.KEYPLANE_OWN_PROCESSES === "all";

const turns = new Turns([0, 1]);

testReplays({
  isWanted: (recorded) => !needsOwn(recorded) && (isAll || SOME.test(recorded.name)),
  inTurn: (_recorded, work) => turns.take(() => work(undefined)),
});
