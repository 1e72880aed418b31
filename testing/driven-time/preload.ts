// Loaded by `node --require` into the processes of a run. Affects only processes that run programs or providers.
import { sep } from "node:path";
import type { TimerOptions } from "node:timers";
import timers from "node:timers/promises";

const controlUrl = process.env.KEYPLANE_TEST_CLOCK;
const script = process.argv[1] ?? "";
const isPulumi =
  ["run", "dynamic-provider"].some((name) => script.includes(["@pulumi", "pulumi", "cmd", name].join(sep))) ||
  script.includes(`${sep}pulumi-resource-`);
if (controlUrl !== undefined && isPulumi) follow(controlUrl, Number(process.env.KEYPLANE_TEST_CLOCK_AHEAD));

/** Makes this process's clocks follow the control plane's clock. */
function follow(url: string, head: number): void {
  const [now, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
  let ahead = head;
  let last: Promise<void> = Promise.resolve();
  Date.now = () => now() + ahead;
  performance.now = () => monotonic() + ahead - head;
  Object.defineProperty(performance, "timeOrigin", { value: performance.timeOrigin + head });

  const jumpTo = async (time: number, signal: AbortSignal | undefined): Promise<void> => {
    const ms = Math.ceil(time - performance.now());
    if (signal?.aborted || ms <= 0) return;
    await fetch(`${url}/clock/advance`, { method: "POST", body: JSON.stringify({ ms }), ...(signal && { signal }) });
    ahead += ms;
  };
  // Concurrent sleeps take turns, so that time passes once for all of them.
  const sleep: typeof timers.setTimeout = async <T>(ms = 0, value?: T, options?: TimerOptions) => {
    const time = performance.now() + ms;
    last = last.then(() => jumpTo(time, options?.signal)).catch(() => {});
    await last;
    options?.signal?.throwIfAborted();
    return value as T;
  };
  timers.setTimeout = sleep;
}
