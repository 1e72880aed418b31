// The process of one measurement: gets ready, says so, and works and takes the time when it is told to.
import { floor } from "./floor";
import { host } from "./host";
import { keyplane } from "./keyplane";
import { naive } from "./naive";
import type { Measured, Task } from "./task";

const variants = { keyplane, host, floor, naive } as const;

async function measure(task: Task): Promise<void> {
  const prepare = variants[task.variant][task.scenario];
  if (prepare === undefined) throw new Error(`nothing to measure: ${task.variant} ${task.scenario}`);
  const work = await prepare(task);
  process.once("message", async () => {
    const started = performance.now();
    const result = await work();
    const ms = performance.now() - started;
    await work.end?.();
    const measured: Measured = typeof result === "number" ? { ms, heapGrowth: result } : { ms };
    process.send?.(measured, () => process.exit(0));
  });
  // What the preparation has left behind must not be collected in the measured time.
  globalThis.gc?.();
  process.send?.("ready");
}

process.once("message", (task: Task) => void measure(task));
