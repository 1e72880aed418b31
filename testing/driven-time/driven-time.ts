import type { ControlPlane } from "../control-plane";
import { compiledModule } from "../package-root";

/**
 * The environment of a run whose program and providers live by the plane's clock: their clocks begin where it stands,
 * and when they sleep they set it forward instead. It holds for one run; the next needs a new one.
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
