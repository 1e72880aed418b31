import { join } from "node:path";
import { packageRoot } from "../testing/engine/package-root";

/** The folder of the provider plugin for all Pulumi languages, as it is released. */
export const pluginFolder = (): string => join(packageRoot(), "bin");

/**
 * The folder of a plugin on which `NODE_OPTIONS` has an effect, for runs whose processes load something for a test: the
 * released plugin ignores it.
 */
export const pluginForPreloads = (): string => join(packageRoot(), ".tmp", "plugin-for-preloads");
