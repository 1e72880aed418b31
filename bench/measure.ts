// The process of one measurement: prepares, reports that it is ready, and measures the work when it is told to start.
import { bareClient } from "./bare-client";
import { keyplane } from "./keyplane";
import type { Task } from "./task";

const CLIENTS = { keyplane, bare: bareClient } as const;

process.once("message", async (task: Task) => {
  const work = await CLIENTS[task.client][task.name](task);
  process.once("message", async () => {
    const started = performance.now();
    await work();
    process.send?.(performance.now() - started, () => process.exit(0));
  });
  // Garbage from the preparation must not be collected during the measurement.
  globalThis.gc?.();
  process.send?.("ready");
});
