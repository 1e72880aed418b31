import type { Account } from "../../provider/api";
import { AbortedError } from "../../provider/errors";
import { EngineLink, type EngineModules, type Severity } from "../../provider/session/engine-link";
import { Session } from "../../provider/session/session";
import type { EngineCommand } from "../../provider/stack/command-line";
import type { Deployment } from "../../provider/stack/deployment";
import type { Run } from "../../provider/stack/history";
import { StackLook } from "../../provider/stack/stack-look";
import type { StackHarness } from "../unit/resources/harness";

/** What a process can find out about the engine that started it. */
export interface EngineSide {
  readonly command: EngineCommand;
  /** The state and the last runs, as the Pulumi CLI would answer now. */
  state(stack: string): Deployment;
  history(stack: string): readonly Run[];
}

/** Collects the messages that the engine would show. */
class CollectingLink extends EngineLink {
  constructor(private readonly harness: StackHarness) {
    super("", noModules);
  }

  override watch(): void {}

  override log(_urn: string, severity: Severity, text: string): void {
    const { progress, info, warn } = this.harness.told;
    if (severity === "progress") progress.push(text);
    else if (severity === "warning") warn.push(text);
    else info.push(text);
  }
}

/** Asks the engine of the model instead of the Pulumi CLI. */
class ModelLook extends StackLook {
  constructor(
    session: ModelSession,
    private readonly engine: EngineSide,
  ) {
    super(session);
  }

  protected override async pulumi() {
    return {
      state: async (stack: string) => this.engine.state(stack),
      history: async (stack: string) => ({ runs: this.engine.history(stack), isLast: true }),
    };
  }
}

/** The session of one process, with the clock and the account of a harness. */
export class ModelSession extends Session {
  override readonly engine: EngineLink;
  override readonly stack: StackLook;

  constructor(
    private readonly harness: StackHarness,
    private readonly side: EngineSide,
  ) {
    super(noModules);
    this.engine = new CollectingLink(harness);
    this.stack = new ModelLook(this, side);
  }

  override get command(): EngineCommand {
    return this.side.command;
  }

  override account(): Account {
    return this.harness.account;
  }

  override get startedAt(): number {
    return this.harness.clock.now();
  }

  override now(): number {
    return this.harness.clock.now();
  }

  async endWithoutEngine(): Promise<void> {
    this.harness.account.stopCreating(new AbortedError("the engine is gone"));
    await this.cancellation.endWithoutEngine();
  }
}

function noModules(): EngineModules {
  throw new Error("the model has no engine to connect to");
}
