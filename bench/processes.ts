import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type ControlPlane, connectControlPlane } from "../testing/control-plane";
import type { Measured, Task } from "./task";

const TIMEOUT_MS = 180_000;

/** Starts a control plane in its own process, so that its work does not count in the measurement. */
export async function startService(): Promise<{ readonly plane: ControlPlane; stop(): void }> {
  const child = fork(join(__dirname, "service.js"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const plane = await connectControlPlane(await answerOf<string>(child));
  return { plane, stop: () => void child.kill("SIGKILL") };
}

/**
 * Runs measurements concurrently, each in its own process. Calls `begin` when all are ready, just before they start.
 */
export async function measure(tasks: readonly Task[], begin: () => Promise<void>): Promise<readonly Measured[]> {
  const children = tasks.map(() => {
    return fork(join(__dirname, "measure.js"), {
      execArgv: ["--expose-gc"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  });
  const stop = () => {
    for (const child of children) child.kill("SIGKILL");
  };
  const timer = setTimeout(stop, TIMEOUT_MS);
  try {
    const ready = Promise.all(children.map((child) => answerOf(child)));
    for (const [at, child] of children.entries()) child.send(tasks[at] as Task);
    await ready;
    await begin();
    const measured = Promise.all(children.map((child) => answerOf<Measured>(child)));
    for (const child of children) child.send("go");
    return await measured;
  } finally {
    clearTimeout(timer);
    stop();
  }
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const end = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
    throw new Error(`a benchmark process ended unexpectedly: ${code ?? signal}`);
  });
  try {
    return (await Promise.race([
      once(child, "message", { signal: ended.signal }).then(([answer]) => answer),
      end,
    ])) as T;
  } finally {
    ended.abort();
    end.catch(() => {});
  }
}
