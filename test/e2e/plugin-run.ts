import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane, RunOptions, RunResult } from "keyplane/testing";
import { pluginFolder } from "../plugin-folder";
import { ExampleRun } from "./run-example";

const HEAD = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey, RotatingApiKey, ProjectReady, Provider } = require("plugin-sdk");
const { Consumer } = require("consumer");
const config = new pulumi.Config();
const consumer = (name, key) => {
  const inputs = { keyId: key.keyId, reportTo: config.require("reportTo"), fail: config.getBoolean("fail") ?? false };
  return new Consumer(name, inputs);
};
`;

/** A stack whose program uses the provider plugin, with the classes of a generated SDK and consumers that fail on demand. */
export class PluginRun {
  private constructor(
    readonly run: ExampleRun,
    readonly plane: ControlPlane,
  ) {}

  static async create(plane: ControlPlane, program: string): Promise<PluginRun> {
    const packages = { consumer: join(__dirname, "consumer"), "plugin-sdk": join(__dirname, "..", "plugin-sdk") };
    const options = { packages, plugins: { keyplane: pluginFolder() }, config: { reportTo: plane.url } };
    return new PluginRun(await ExampleRun.create(plane, { "index.js": HEAD + program }, options), plane);
  }

  setProgram(program: string): Promise<void> {
    return this.run.workspace.setProgram({ "index.js": HEAD + program });
  }

  /** An `up` in which every consumer accepts its key. */
  up(options?: RunOptions): Promise<RunResult> {
    return this.upWith("false", options);
  }

  /** An `up` in which every consumer that gets another key fails. A target can leave them out. */
  async failingUp(options: RunOptions = {}): Promise<RunResult> {
    const result = await this.upWith("true", { ...options, mayFail: true });
    if (result.exit === 0 && !options.mayFail) throw new Error("no consumer failed");
    return result;
  }

  /** The ids of the live keys, oldest first. */
  async live(): Promise<string[]> {
    return (await this.plane.liveKeys()).map(({ id }) => String(id)).sort();
  }

  /** The running processes of the plugin. Other processes of an engine may outlive it. */
  plugins(): number[] {
    return this.run.workspace.processes().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pulumi-resource-keyplane");
      } catch {
        return false;
      }
    });
  }

  /** How often each request is sent by the action. */
  async countsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const request of await this.run.requestsOf(work)) counts[request] = (counts[request] ?? 0) + 1;
    return counts;
  }

  /** What happened to the keys, and which of them a consumer received, in order: `made 7`, `holds 7`, `revoked 7`. */
  async history(): Promise<string[]> {
    const words = { "key-created": "made", "key-revoked": "revoked" } as Readonly<Record<string, string>>;
    return (await this.plane.log()).flatMap(({ query, effects }) => {
      const [, held] = /^holds=(\d+)$/.exec(query) ?? [];
      if (held !== undefined) return [`holds ${held}`];
      return effects.flatMap((effect) =>
        effect.kind in words && "id" in effect ? [`${words[effect.kind]} ${effect.id}`] : [],
      );
    });
  }

  private async upWith(fail: string, options: RunOptions = {}): Promise<RunResult> {
    await this.run.workspace.setConfig("fail", fail);
    return this.run.run("up", options);
  }
}

/** All messages of a run. */
export function messagesOf({ diagnostics }: RunResult): string {
  return diagnostics.map(({ message }) => message).join("\n");
}
