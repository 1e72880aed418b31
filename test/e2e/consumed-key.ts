import { join } from "node:path";
import type { ControlPlane, RunOptions, RunResult } from "keyplane/testing";
import { ExampleRun } from "./run-example";

/** A key and a consumer that receives it. The stack's configuration defines both. */
const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { ApiKey } = require("keyplane");
const { Consumer } = require("consumer");

const config = new pulumi.Config();
const { name = "ci", options = {}, ...args } = config.getObject("key") ?? {};
const key = new ApiKey(name, args, options);
const reportTo = config.require("reportTo");
const app = new Consumer("app", { keyId: key.keyId, reportTo, fail: config.getBoolean("fail") ?? false });
if (config.getBoolean("failLater")) new Consumer("later", { keyId: "none", reportTo, fail: true }, { dependsOn: app });
exports.keyId = key.keyId;
`;

/** A stack with one key and one consumer, which fails on demand. */
export class ConsumedKey {
  private constructor(
    readonly run: ExampleRun,
    readonly plane: ControlPlane,
  ) {}

  static async create(plane: ControlPlane): Promise<ConsumedKey> {
    const packages = { consumer: join(__dirname, "consumer") };
    const config = { reportTo: plane.url };
    return new ConsumedKey(await ExampleRun.create(plane, { "index.js": PROGRAM }, { packages, config }), plane);
  }

  /** Sets the arguments of the key, its `name` in the program and its `options`. */
  setKey(key: object): Promise<void> {
    return this.run.workspace.setConfig("key", JSON.stringify(key));
  }

  /** An `up` in which the consumer accepts the key. */
  up(options: RunOptions = {}): Promise<RunResult> {
    return this.upWith("false", options);
  }

  /** An `up` in which the consumer and therefore the run fails. */
  async failingUp(options: RunOptions = {}): Promise<RunResult> {
    const result = await this.upWith("true", { ...options, mayFail: true });
    if (result.exit === 0) throw new Error("the consumer did not fail");
    return result;
  }

  /** The ids of the live keys, oldest first. */
  async live(): Promise<number[]> {
    return (await this.plane.liveKeys()).map(({ id }) => id).sort();
  }

  /** What happened to the keys and which of them the consumer received, in order: `made 7`, `holds 7`, `revoked 7`. */
  async history(): Promise<string[]> {
    return (await this.plane.log()).flatMap(({ query, effects }) => {
      const held = /^holds=(\d+)$/.exec(query);
      if (held) return [`holds ${held[1]}`];
      return effects.flatMap((effect) => {
        if (effect.kind === "key-created") return [`made ${effect.id}`];
        return effect.kind === "key-revoked" ? [`revoked ${effect.id}`] : [];
      });
    });
  }

  private async upWith(fail: string, options: RunOptions): Promise<RunResult> {
    await this.run.workspace.setConfig("fail", fail);
    return this.run.run("up", options);
  }
}
