import type { Account } from "../../provider/api";
import { checkConfig, ProviderConfig } from "../../provider/plugin/config";
import { Resources } from "../../provider/plugin/resources";
import type { Properties } from "../../provider/schema/resource-type";
import type { EngineCommand } from "../../provider/session/engine-command";
import { EngineLink, type EngineModules } from "../../provider/session/engine-link";
import type { RunKeys } from "../../provider/session/run-keys";
import { Session } from "../../provider/session/session";
import type { StackHarness } from "../unit/resources/harness";

/** Collects the messages that the engine would show. */
class CollectingLink extends EngineLink {
  constructor(private readonly harness: StackHarness) {
    super("", noModules);
  }

  override watch(): void {}

  override log(_urn: string, severity: "info" | "warning", text: string, ephemeral: boolean): void {
    const { progress, info, warn } = this.harness.told;
    if (ephemeral) progress.push(text);
    else if (severity === "warning") warn.push(text);
    else info.push(text);
  }
}

/** A session whose clock and account are those of a harness. */
class DrivenSession extends Session {
  override readonly engine: EngineLink;

  constructor(private readonly harness: StackHarness) {
    super(noModules);
    this.engine = new CollectingLink(harness);
  }

  override account(): Account {
    return this.harness.account;
  }

  override now(): number {
    return this.harness.clock.now();
  }
}

/** The process of one provider resource, without its server. */
export class PluginProcess {
  readonly resources: Resources;

  /**
   * @param inputs - The inputs of the provider resource.
   * @param keys - What the processes of the run tell each other.
   */
  constructor(
    harness: StackHarness,
    inputs: Properties,
    command: EngineCommand,
    keys: Pick<RunKeys, "share" | "ofOthers">,
  ) {
    const session = new DrivenSession(harness);
    const config = new ProviderConfig(inputs);
    session.configure(config.read);
    this.resources = new Resources(session, () => config, command, keys);
  }

  /** The inputs of a provider resource with its owner. Throws if a setting is invalid. */
  static checkConfig(urn: string, olds: Properties, news: Properties): Properties {
    const { inputs, failures } = checkConfig(urn, olds, news);
    if (failures.length > 0) throw new Error(failures.join("\n"));
    return inputs;
  }
}

function noModules(): EngineModules {
  throw new Error("the model has no engine to connect to");
}
