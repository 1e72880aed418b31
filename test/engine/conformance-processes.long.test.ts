import { needsOwn } from "./replay/replay";
import { Turns, testReplays } from "./replay/test-replays";

// As `conformance.test.ts`, with the processes that a user's run has: each case has its own.
const turns = new Turns([0, 1]);

testReplays({
  isWanted: (recorded) => !needsOwn(recorded),
  inTurn: (_recorded, work) => turns.take(() => work(undefined)),
});
