/** The commands `up`, `preview`, `refresh` and `destroy`. */
import { availableParallelism } from "node:os";
import { displayOptionsFor, openDisplay } from "../display";
import { PulumiSdk } from "../program/pulumi-sdk";
import type { DeploymentOptions } from "../run/deployment";
import type { Operation } from "../run/events";
import { isTrue, OperationRun } from "../run/operation";
import type { Processes } from "../run/processes";
import { manifestAt } from "../state/checkpoint";
import type { UpdateRecord } from "../state/history";
import { integrityError } from "../state/integrity";
import { type EventListener, EventStream, eventLog } from "./event-stream";
import { type FlagKinds, type Flags, parseFlags } from "./flags";
import { locked, OpenStack, placeOf } from "./stack";
import { environmentOf } from "./update-record";

/** The commands that deploy. */
export type DeployCommand = "up" | "preview" | "refresh" | "destroy";

const SHARED: FlagKinds = {
  yes: "switch",
  parallel: "value",
  "event-log": "value",
  "expect-no-changes": "switch",
};

const FLAGS: Readonly<Record<DeployCommand, FlagKinds>> = {
  up: { ...SHARED, "skip-preview": "switch", refresh: "switch" },
  preview: { ...SHARED, refresh: "switch" },
  refresh: { ...SHARED, "skip-preview": "switch", "clear-pending-creates": "switch" },
  destroy: { ...SHARED, "skip-preview": "switch", refresh: "switch" },
};

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const TITLES = {
  up: { run: "Updating", preview: "Previewing update of" },
  preview: { run: "Previewing update of", preview: "Previewing update of" },
  refresh: { run: "Refreshing", preview: "Previewing refresh of" },
  destroy: { run: "Destroying", preview: "Previewing destroy of" },
} as const satisfies Readonly<Record<DeployCommand, object>>;

const KINDS: Readonly<Record<DeployCommand, UpdateRecord["kind"]>> = {
  up: "update",
  // Not recorded.
  preview: "update",
  refresh: "refresh",
  destroy: "destroy",
};

const UNCHANGED: ReadonlySet<string> = new Set<Operation>(["same"]);

/** What a command needs from its process. A caller that runs it in a process with another purpose passes its own. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;
  on(signal: "SIGINT" | "SIGTERM", interrupt: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", interrupt: () => void): unknown;
  /** How to start programs and providers. @default each in its own process */
  readonly processes?: Processes;
  /** Called after the second interrupt, when all processes that the command started have ended. */
  exit(code: number): unknown;
}

/** Parses the flags of a command. */
export function flagsOf(command: DeployCommand, args: readonly string[]): Flags {
  return parseFlags(args, FLAGS[command]);
}

/** Runs a command. @returns whether it succeeded. */
export async function deploy(
  command: DeployCommand,
  args: readonly string[],
  process: CommandProcess,
): Promise<boolean> {
  const { env } = process;
  const flags = flagsOf(command, args);
  const place = await placeOf(flags, env);
  const logPath = flags.values.get("event-log");
  const listeners = logPath ? [eventLog(logPath)] : [];
  const sdk = new PulumiSdk(place.project.directory);
  return locked(place, async () => {
    const opening = OpenStack.open(place, env);
    // Modules are loaded while another thread derives the key from the passphrase.
    sdk.load();
    return new Passes(command, flags, await opening, sdk, process, listeners).execute();
  });
}

/** The passes of one command: the optional preview, and the run. */
class Passes {
  private current: OperationRun | undefined;
  private interrupts = 0;

  constructor(
    private readonly command: DeployCommand,
    private readonly flags: Flags,
    private readonly stack: OpenStack,
    private readonly sdk: PulumiSdk,
    private readonly process: CommandProcess,
    private readonly listeners: readonly EventListener[],
  ) {}

  async execute(): Promise<boolean> {
    const { switches } = this.flags;
    const onlyPreview = this.command === "preview";
    const stop = () => this.interrupt();
    for (const signal of SIGNALS) this.process.on(signal, stop);
    try {
      if (!onlyPreview) this.requireApproval();
      if (switches.has("clear-pending-creates")) await this.clearPendingCreates();
      if (onlyPreview) return await this.run(true);
      if (!switches.has("skip-preview") && !isTrue(this.process.env.PULUMI_SKIP_PREVIEW) && !(await this.run(true)))
        return false;
      return await this.run(false);
    } finally {
      for (const signal of SIGNALS) this.process.off(signal, stop);
    }
  }

  /** Forgets the creations that a killed run did not finish. As with the CLI, they are gone before the refresh starts. */
  private async clearPendingCreates(): Promise<void> {
    const { pending_operations: pending = [], ...rest } = this.stack.opened() ?? { manifest: manifestAt(new Date()) };
    const kept = pending.filter(({ type }) => type !== "creating");
    if (kept.length < pending.length) await this.stack.writer(() => ({ ...rest, pending_operations: kept }))();
  }

  private requireApproval(): void {
    const { switches } = this.flags;
    if (!switches.has("yes") && !isTrue(this.process.env.PULUMI_YES)) {
      throw new Error("--yes must be passed: the embedded engine does not ask");
    }
  }

  /** The first interrupt ends the run gracefully. The second ends it immediately. */
  private interrupt(): void {
    this.interrupts++;
    if (this.interrupts === 1) this.current?.cancel();
    else {
      this.current?.end();
      this.process.exit(255);
    }
  }

  private async run(preview: boolean): Promise<boolean> {
    const { switches } = this.flags;
    const opened = this.stack.opened();
    const resources = opened?.resources ?? [];
    const problem = integrityError(resources);
    if (problem) throw new Error(`the state is not valid, and is not used: ${problem}`);
    const display = openDisplay({
      title: `${TITLES[this.command][preview ? "preview" : "run"]} ${this.stack.place.stack}`,
      planning: preview,
      ...displayOptionsFor(this.process.stdout, this.process.env, !switches.has("non-interactive")),
    });
    const stream = new EventStream([...this.listeners, display.show.bind(display)]);
    const pending = opened?.pending_operations ?? [];
    this.current = new OperationRun({
      sdk: this.sdk,
      project: this.stack.place.project,
      stack: this.stack.place.stack,
      config: await this.stack.config(),
      resources,
      pendingOperations: switches.has("clear-pending-creates") ? [] : pending,
      runsProgram: this.command === "up" || this.command === "preview",
      deployment: this.deploymentOptions(preview),
      env: this.process.env,
      processes: this.process.processes,
      emit: stream.emit,
      openState: (current) => this.stack.writer(current),
    });
    const started = seconds();
    try {
      const { result, changes } = await this.current.execute();
      if (!preview) await this.record({ startTime: started, result, resourceChanges: changes });
      return this.judged(result === "succeeded", changes);
    } finally {
      stream.emit({ cancelEvent: {} });
      display.end();
    }
  }

  /** Adds the run to the stack's history. */
  private async record(run: Pick<UpdateRecord, "startTime" | "result" | "resourceChanges">): Promise<void> {
    const { backend, project, stack } = this.stack.place;
    await backend.history(project.name, stack).add({
      ...run,
      kind: KINDS[this.command],
      environment: environmentOf(this.flags),
      endTime: seconds(),
    });
  }

  private judged(succeeded: boolean, changes: Partial<Record<Operation, number>>): boolean {
    const changed = Object.keys(changes).some((op) => !UNCHANGED.has(op));
    if (!succeeded || !changed || !this.flags.switches.has("expect-no-changes")) return succeeded;
    throw new Error("no changes were expected but changes occurred");
  }

  private deploymentOptions(preview: boolean): DeploymentOptions {
    const { switches, values } = this.flags;
    const parallel = Number(values.get("parallel") ?? this.process.env.PULUMI_PARALLEL ?? 4 * availableParallelism());
    if (!Number.isInteger(parallel)) throw new Error("--parallel must be a whole number");
    return {
      preview,
      parallel: parallel > 0 ? parallel : Number.MAX_SAFE_INTEGER,
      refresh: this.command === "refresh" || switches.has("refresh"),
      refreshOnly: this.command === "refresh",
    };
  }
}

/** Current time in seconds since 1970. */
function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
