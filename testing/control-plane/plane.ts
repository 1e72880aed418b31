import { DataFile } from "./data-file";
import { Held } from "./faults/held";
import { LateCommits } from "./faults/late";
import { Rules } from "./faults/rules";
import { RequestLog } from "./request-log";
import { type Seed, State, type StateSnapshot } from "./state/state";

/** One control plane: its state, its test settings, and its log. */
export class Plane {
  state: State;
  readonly log = new RequestLog();
  readonly rules = new Rules();
  readonly held = new Held();
  readonly late = new LateCommits();
  private readonly file: DataFile | undefined;

  /**
   * @param seed - Initial state, which `reset` restores.
   * @param showsApiKey - Whether the control endpoints reveal the admin key's secret.
   * @param data - Path of the file that stores the state. If omitted, the state is lost when the process ends.
   */
  constructor(
    readonly seed: Seed,
    readonly showsApiKey: boolean,
    private readonly data?: string,
  ) {
    this.state = new State(seed);
    this.file = data === undefined ? undefined : new DataFile(data, () => JSON.stringify(this.state.save()));
  }

  /** Loads the state from the data file, or creates the file. */
  async load(): Promise<void> {
    const snapshot = (await this.file?.load()) as StateSnapshot | undefined;
    if (snapshot !== undefined && snapshot?.version !== 1) {
      throw new Error(`the data file ${this.data} contains a state of another version`);
    }
    if (snapshot) this.state.load(snapshot);
    await this.file?.save();
  }

  /** Resolves when the state is on disk, if there is a data file. */
  async persist(): Promise<void> {
    await this.file?.save();
  }

  /** Saves the state soon, if there is a data file. */
  persistSoon(): void {
    this.file?.saveSoon();
  }

  /** Commits late effects that are due. */
  settle(): void {
    this.late.run(this.state.clock.timeline());
  }

  /** Restores the seed: no rules, no log, no held requests, and no keys except the admin key. */
  async reset(): Promise<void> {
    this.rules.clear();
    this.late.clear();
    this.held.release("drop");
    this.log.clear();
    this.state = new State(this.seed);
    await this.persist();
  }

  /** Drops everything that waits, and saves. */
  async close(): Promise<void> {
    this.late.clear();
    this.held.release("drop");
    await this.file?.close();
  }
}
