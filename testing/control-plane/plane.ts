import { DataFile } from "./data-file";
import { Held } from "./faults/held";
import { LateCommits } from "./faults/late";
import { Rules } from "./faults/rules";
import { RequestLog } from "./request-log";
import { type Seed, State, type StateSnapshot } from "./state/state";

/** One control plane: its state, what tests have set, and what has happened. */
export class Plane {
  state: State;
  readonly log = new RequestLog();
  readonly rules = new Rules();
  readonly held = new Held();
  readonly late = new LateCommits();
  private readonly file: DataFile | undefined;

  /**
   * @param seed - What the plane starts from, and goes back to on reset.
   * @param showsApiKey - Whether the control endpoints tell the secret of the admin key.
   * @param data - Path of the file that keeps the state; none = the state ends with the process.
   */
  constructor(
    readonly seed: Seed,
    readonly showsApiKey: boolean,
    private readonly data?: string,
  ) {
    this.state = new State(seed);
    this.file = data === undefined ? undefined : new DataFile(data, () => JSON.stringify(this.state.save()));
  }

  /** Takes the state from the data file, or makes the file. */
  async load(): Promise<void> {
    const snapshot = (await this.file?.load()) as StateSnapshot | undefined;
    if (snapshot !== undefined && snapshot?.version !== 1) {
      throw new Error(`the data file ${this.data} holds a state of another version`);
    }
    if (snapshot) this.state.load(snapshot);
    await this.file?.save();
  }

  /** Resolves when the state is on the disk, where one is kept. */
  async persist(): Promise<void> {
    await this.file?.save();
  }

  /** Sees to it that the state is on the disk soon, where one is kept. */
  persistSoon(): void {
    this.file?.saveSoon();
  }

  /** Commits what has become due late. */
  settle(): void {
    this.late.run(this.state.clock.timeline());
  }

  /** Goes back to the seed: no rules, no log, no parked requests, no keys but the admin key. */
  async reset(): Promise<void> {
    this.rules.clear();
    this.late.clear();
    this.held.release("drop");
    this.log.clear();
    this.state = new State(this.seed);
    await this.persist();
  }

  /** Lets go of everything that waits, and saves. */
  async close(): Promise<void> {
    this.late.clear();
    this.held.release("drop");
    await this.file?.close();
  }
}
