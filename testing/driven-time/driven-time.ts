import type { ControlPlane } from "../control-plane";
import { compiledModule } from "../engine/package-root";

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
