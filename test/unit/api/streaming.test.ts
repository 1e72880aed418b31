import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test } from "vitest";
import { listOperations } from "../../../provider/functions";
import { startAccount, stopAccounts } from "./start-account";

afterEach(stopAccounts);

/** Makes garbage collection callable, in this process only. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

test("listing 20 000 operations needs only the memory of a page", async () => {
  const { account, plane } = await startAccount({ requestTimeoutMs: 30_000 });
  const { id: projectId } = await plane.state.createProject();
  const ended = { schedulingMs: 0, runningMs: 0 };
  await plane.state.startOperations({ projectId, count: 20_000, gapMs: 1000, ...ended });
  const collect = collector();
  const seen: WeakRef<object>[] = [];
  let count = 0;
  for await (const operation of listOperations(account, { projectId })) {
    if (++count % 1000 === 0) seen.push(new WeakRef(operation));
  }
  // Objects that a turn of the event loop has dereferenced stay alive until its end.
  await new Promise(setImmediate);
  collect();
  expect(count).toBeGreaterThanOrEqual(20_000);
  expect(seen.filter((each) => each.deref() !== undefined).length).toBeLessThanOrEqual(2);
});
