/** The provider plugins of one run. */
import type { Project, StackConfig } from "../command/config";
import type { PulumiSdk } from "../program/pulumi-sdk";
import type { Diagnostics } from "../run/diagnostics";
import { findPlugin } from "./find-plugin";
import { compareVersions, type PackageVersion } from "./package-version";
import { Plugin } from "./plugin";
import type { LoadedProvider } from "./provider";

/** Options of the plugins. */
export interface PluginsOptions {
  readonly sdk: PulumiSdk;
  readonly project: Project;
  readonly engineAddress: string;
  readonly config: StackConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly diagnostics: Diagnostics;
  /** Called with the process id when a plugin starts. */
  readonly started: (pid: number, packageName: string) => void;
}

/** Starts plugins, and ends them with the run. */
export class Plugins {
  private readonly plugins: Plugin[] = [];
  private readonly warned = new Set<string>();

  constructor(private readonly options: PluginsOptions) {}

  /** Starts the plugin of a package. */
  load(packageName: string, { version }: PackageVersion): LoadedProvider {
    const { sdk, project, engineAddress, env, diagnostics, started } = this.options;
    const file = findPlugin(packageName, version, { plugins: project.plugins, env });
    if (file.onPath && !this.warned.has(file.path)) {
      this.warned.add(file.path);
      diagnostics.warning("", `using pulumi-resource-${packageName} from $PATH at ${file.path}`);
    }
    const plugin = new Plugin({
      sdk,
      file,
      directory: project.directory,
      engineAddress,
      env: { ...env, ...this.envOf(packageName) },
      started: (pid) => started(pid, packageName),
      printed: (line) => diagnostics.report("debug", "", line),
      introduced: (own) => {
        if (version && compareVersions(own, version) < 0)
          diagnostics.warning("", wrongVersion(packageName, version, own));
      },
      lost: (output) => diagnostics.error("", exitedEarly(file.path, output)),
    });
    this.plugins.push(plugin);
    return plugin;
  }

  /** Tells the plugins that the run is cancelled. */
  cancel(): void {
    for (const plugin of this.plugins) plugin.cancel().catch(() => undefined);
  }

  /** Ends all plugins. They may finish what they do. */
  async close(): Promise<void> {
    await Promise.all(this.plugins.map((plugin) => plugin.close()));
  }

  /** Ends all plugins at once. */
  kill(): void {
    for (const plugin of this.plugins) plugin.kill();
  }

  private envOf(packageName: string): NodeJS.ProcessEnv {
    const { project, config } = this.options;
    const own = Object.entries(config.values).filter(([key]) => key.split(":")[0] === packageName);
    const options = Object.entries(project.runtimeOptions);
    return {
      ...Object.fromEntries(options.map(([name, value]) => [`PULUMI_RUNTIME_${name.toUpperCase()}`, String(value)])),
      PULUMI_PROJECT: project.name,
      PULUMI_CONFIG: JSON.stringify(
        Object.fromEntries(own.map(([key, value]) => [key.slice(packageName.length + 1), value])),
      ),
    };
  }
}

function wrongVersion(packageName: string, wanted: string, own: string): string {
  return (
    `resource plugin ${packageName} is expected to have version >=${wanted}, but has ${own || "none"}; ` +
    "the wrong version may be on your path, or this may be a bug in the plugin"
  );
}

function exitedEarly(path: string, output: string): string {
  return `The plugin ${path} exited prematurely, which is a bug in the plugin. It printed:\n${output}`;
}
