import { messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import { MAX_SKEW_MS } from "../keys/clock-skew";
import { stackIn } from "../keys/identity";
import type { Delivery, History, HistoryMark, Witness } from "../schema/witness";
import { type EngineCommand, folderOf, refreshesAlways, skipsCheckpoints } from "./command-line";
import type { Run, RunPages } from "./history";
import type { Pulumi } from "./pulumi";

/** The run that looks, and the engine that shows its warnings. */
interface Looking {
  readonly command: EngineCommand;
  readonly startedAt: number;
  now(): number;
  readonly engine: { log(urn: string, severity: "warning", text: string): void };
}

/** Looks at the stack's own state and history, with the CLI that runs the command. */
export class StackLook implements History {
  /** The states that were read, by the phase of the run: its creations and updates, or its deletions. */
  readonly #states = new Map<string, Promise<Witness | undefined>>();
  /** Later reads, which their callers share. */
  readonly #again = new Map<string, Promise<Witness | undefined>>();
  #history: RunPages | undefined;
  #isReported = false;

  constructor(private readonly looking: Looking) {}

  /** The state as it is saved now; `undefined` if it cannot be read. The callers of a phase share it. */
  state(urn: string, phase: string, { fresh }: { readonly fresh: boolean }): Promise<Witness | undefined> {
    const shared = fresh ? this.#again : this.#states;
    const state = getOrCreate(shared, phase, () => this.#read(urn));
    if (fresh) void state.finally(() => this.#again.delete(phase));
    return state;
  }

  async mark(urn: string): Promise<HistoryMark | undefined> {
    // The history shows the options that limit a run, but not `pulumi do`.
    if (this.looking.command.isLimited) return undefined;
    const runs = await this.#runs(urn);
    return runs && (await import("./history.js")).markOf(runs, this.looking.startedAt);
  }

  async since(mark: HistoryMark, urn: string): Promise<Delivery> {
    // A service has another clock than the provider.
    const runs = await this.#runs(urn, Math.min(mark.startedAt, mark.newest?.began ?? mark.startedAt));
    return runs && (await import("./history.js")).deliveryOf(runs, mark);
  }

  async mayHaveDeliveredBetween(from: number, to: number, urn: string): Promise<boolean | undefined> {
    // A time that cannot be read counts. The runs before those that were read can have ended at any time until then.
    return (await this.#runs(urn))?.some(
      ({ mayHaveDelivered, began, ended }) =>
        mayHaveDelivered && !(ended < from || (secondOf(ended) > secondOf(to) && Number.isFinite(began))),
    );
  }

  /** Whether a run that succeeded may have been under way then; `undefined` if the history cannot be read. */
  async mayHaveSucceeded(at: number, urn: string): Promise<boolean | undefined> {
    return (await this.#runs(urn))?.some(
      ({ mayHaveSucceeded, began, ended }) =>
        mayHaveSucceeded && !(secondOf(at) < secondOf(began) || secondOf(at) > secondOf(ended)),
    );
  }

  /** A refresh that finds drift changes the time of a resource, too, although the resource still has what it had. */
  async updatesSince(from: number, urn: string): Promise<(changedAt: number) => boolean> {
    const { startedAt, command } = this.looking;
    const always = refreshesAlways(folderOf(command.pid));
    const refreshes = command.refreshes === "never" && always ? "before" : command.refreshes;
    const isProofNow = refreshes === "never" || (refreshes === "before" && from >= startedAt);
    // What happened before this process was started, the history shows. It lacks runs that were killed.
    const runs = from >= startedAt || always ? [] : ((await this.#runs(urn, from)) ?? []);
    return (changedAt) => {
      // The clock of the machine that changed it was wrong, so its time may be from before the period.
      if (changedAt > this.looking.now()) return false;
      if (changedAt >= startedAt) return isProofNow;
      const second = secondOf(changedAt);
      // In the first and the last second of a run, one that was killed can have been under way, too.
      const isDuring = ({ began, ended }: Run) => secondOf(began) < second && second < secondOf(ended);
      // A backend that is a service has another clock than the engine.
      const isNear = ({ began, ended }: Run) => !(changedAt + MAX_SKEW_MS < began || changedAt - MAX_SKEW_MS > ended);
      return runs.some(isDuring) && runs.filter(isNear).every(({ onlyUpdates }) => onlyUpdates);
    };
  }

  /** The history until a run that began before a time, by default the last page. This run is not in it. */
  async #runs(urn: string, since = Number.POSITIVE_INFINITY): Promise<readonly Run[] | undefined> {
    const { RunPages } = await import("./history.js");
    const read = (page: number) =>
      this.#asking(urn, async () => (await this.pulumi()).history(stackIn(urn).stack, page));
    this.#history ??= new RunPages(read);
    return this.#history.until(since);
  }

  async #read(urn: string): Promise<Witness | undefined> {
    // The saved state is that of the last run.
    if (skipsCheckpoints()) return undefined;
    return this.#asking(urn, async () => {
      const { StackWitness } = await import("./witness.js");
      return new StackWitness(await (await this.pulumi()).state(stackIn(urn).stack));
    });
  }

  /** Loaded on demand, because most runs need not ask. */
  protected async pulumi(): Promise<Pick<Pulumi, "state" | "history">> {
    const cli = await import("./pulumi.js");
    const { command } = this.looking;
    return new cli.Pulumi(command, { cwd: folderOf(command.pid) });
  }

  /** Reports once if the CLI does not answer. What it would have said counts as unknown. */
  async #asking<T>(urn: string, question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      if (this.#isReported) return undefined;
      this.#isReported = true;
      this.looking.engine.log(
        urn,
        "warning",
        `keyplane asked the Pulumi CLI about this stack, but ${messageOf(error)}. Keys whose fate depends on it stay live. ` +
          "If the CLI was not found, set KEYPLANE_PULUMI to its path",
      );
      return undefined;
    }
  }
}

/** The history has whole seconds. */
const secondOf = (time: number): number => Math.floor(time / 1_000);
