// The process of one measurement: prepares, reports that it is ready, and measures the work when it is told to start.
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
  // Garbage from the preparation must not be collected during the measurement.
  globalThis.gc?.();
  process.send?.("ready");
}

process.once("message", (task: Task) => void measure(task));
