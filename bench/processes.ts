import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type ControlPlane, connectControlPlane } from "../testing/control-plane";
import type { Measured, Task } from "./task";

const TIMEOUT_MS = 180_000;

/** A control plane in a process of its own, so that its work is not taken for that of what is measured. */
export async function startService(): Promise<{ readonly plane: ControlPlane; stop(): void }> {
  const child = fork(join(__dirname, "service.js"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const plane = await connectControlPlane(await answerOf<string>(child));
  return { plane, stop: () => void child.kill("SIGKILL") };
}

/** Takes measurements at once, each in a process of its own; `begin` runs when all are ready, just before they work. */
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
    throw new Error(`a process of the benchmark ended too early: ${code ?? signal}`);
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
