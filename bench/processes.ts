import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type ControlPlane, connectControlPlane } from "../testing/control-plane";
import type { Task } from "./task";

/** Starts a control plane in its own process, so that its work does not count in the measurement. */
export async function startService(): Promise<{ readonly plane: ControlPlane; stop(): void }> {
  const child = start("service.js");
  const plane = await connectControlPlane(await answerOf<string>(child));
  return { plane, stop: () => void child.kill("SIGKILL") };
}

/** Runs a measurement in its own process. Calls `begin` just before it starts. Returns its time in milliseconds. */
export async function measure(task: Task, begin: () => Promise<void>): Promise<number> {
  const child = start("measure.js");
  try {
    child.send(task);
    await answerOf(child);
    await begin();
    child.send("go");
    return await answerOf<number>(child);
  } finally {
    child.kill("SIGKILL");
  }
}

function start(file: string): ChildProcess {
  return fork(join(__dirname, file), { execArgv: ["--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** The next message of a process. Throws if it ends first. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const { signal } = ended;
  const end = once(child, "exit", { signal }).then(([code, killedBy]) => {
    throw new Error(`a benchmark process ended unexpectedly: ${code ?? killedBy}`);
  });
  try {
    return (await Promise.race([once(child, "message", { signal }).then(([answer]) => answer), end])) as T;
  } finally {
    ended.abort();
    end.catch(() => {});
  }
}
