import { isKeyplaneError } from "../../provider/errors";
import { checkConfig, ProviderConfig } from "../../provider/plugin/config";
import { Resources } from "../../provider/plugin/resources";
import type { Properties } from "../../provider/schema/outputs";
import type { StackHarness } from "../unit/resources/harness";
import { type EngineSide, ModelSession } from "./provider-process";

/** The process of one provider resource, without its server. */
export class PluginProcess {
  readonly resources: Resources;
  private readonly session: ModelSession;
  private readonly told: StackHarness["told"];

  /** @param inputs - The inputs of the provider resource. */
  constructor(harness: StackHarness, inputs: Properties, engine: EngineSide) {
    this.told = harness.told;
    this.session = new ModelSession(harness, engine);
    const config = new ProviderConfig(inputs);
    this.session.configure(config.read);
    this.resources = new Resources(this.session, () => config);
  }

  endWithoutEngine(): Promise<void> {
    return this.session.endWithoutEngine();
  }

  /** What the plugin does when the engine is done. Nobody gets an error from it, but only those of requests may occur. */
  async close(): Promise<void> {
    await this.resources.end().catch((error: unknown) => {
      if (!isKeyplaneError(error)) throw error;
      this.told.warn.push(error.message);
    });
  }

  /** The inputs of a provider resource with its owner. Throws if a setting is invalid. */
  static checkConfig(urn: string, olds: Properties, news: Properties): Properties {
    const { inputs, failures } = checkConfig(urn, olds, news);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return inputs;
  }
}
