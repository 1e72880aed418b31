import type { ControlPlane } from "../control-plane";
import { compiledModule } from "../engine/package-root";
import type { History } from "../engine/state/history";

/**
 * Returns the environment of a run in which the program and the providers use the control plane's clock. Their clocks
 * start at its current time. When they sleep, they advance it instead of waiting. Each run needs a new environment.
 *
 * @example
 * await workspace.up({ env: await drivenTime(plane) });
 */
export async function drivenTime(plane: ControlPlane): Promise<NodeJS.ProcessEnv> {
  const { now } = await plane.clock.read();
  const preload = compiledModule("driven-time", "preload.js");
  return {
    NODE_OPTIONS: `--require ${JSON.stringify(preload)}`,
    KEYPLANE_TEST_CLOCK: plane.controlUrl,
    KEYPLANE_TEST_CLOCK_AHEAD: String(now - Date.now()),
  };
}

/**
 * Puts the run that has just ended on the control plane's clock in the history of its stack: the engine records its own
 * clock, which nobody drives.
 * @param env - The environment of the run.
 * @param began - When it began, by this machine's clock.
 */
export async function driveHistory(history: History, env: NodeJS.ProcessEnv, began: number): Promise<void> {
  const { KEYPLANE_TEST_CLOCK: url, KEYPLANE_TEST_CLOCK_AHEAD: ahead = "0" } = env;
  if (url === undefined) return;
  const { now } = (await (await fetch(`${url}/clock`)).json()) as { readonly now: number };
  // A killed run is not in the history, and an earlier one is already on the control plane's clock.
  await history.changeLatest(began, (record) => {
    const startTime = Math.floor(record.startTime + Number(ahead) / 1000);
    return { ...record, startTime, endTime: Math.floor(now / 1000) };
  });
}
