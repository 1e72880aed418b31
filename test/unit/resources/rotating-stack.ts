import { resourceTypes } from "../../../provider/dynamic/registry";
import { noteHolder } from "../../../provider/keys/holders";
import { newRunId, noncesOf } from "../../../provider/keys/names";
import { textsOf } from "../../../provider/members";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import type { Properties } from "../../../provider/schema/outputs";
import { type Context, NotReady, RunNotes } from "../../../provider/schema/resource-type";
import { json, StackHarness } from "./harness";
import { SavedState } from "./saved-state";

/** What one `up` did with the rotating key. */
export interface UpResult {
  /** Whether there was something to do for the key, without the ledger. */
  readonly changed: boolean;
  /** The reasons, if the program does not show them. */
  readonly reasons: readonly string[];
  /** Why the key is recorded as not ready. */
  readonly notReady?: string;
}

/** An hour, a day, which is the grace period, and the quiet period, in milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const QUIET = 2 * HOUR;

const kind = resourceTypes.RotatingApiKey;

/** The inputs that determine how long a previous key stays live. */
const PERIODS = ["rotateAfter", "maxAge", "gracePeriod", "quietPeriod", "maxOverlap"];

/**
 * A stack of one rotating key, its owner and its ledger. As in the engine, the result of a verb is saved after the call,
 * and the provider can read what is saved.
 */
export class RotatingStack {
  id = "";
  outputs: Properties | undefined;
  /** The ledger's outputs after the first complete run. */
  ledger: Properties | undefined;
  /** Whether the provider can read the stack's state. */
  isReadable = true;
  /** Ids of the runs that the owner has on record. */
  private runs: readonly string[] = [];
  private initFailed = false;
  /** The context of the current run's verbs. */
  private context: Context;

  private constructor(
    public harness: StackHarness,
    public inputs: Properties,
  ) {
    this.context = harness.context;
  }

  /** A stack whose first key is created. */
  static async start(inputs: Properties = {}, harness?: StackHarness): Promise<RotatingStack> {
    const stack = new RotatingStack(harness ?? (await StackHarness.start()), inputs);
    await stack.up();
    return stack;
  }

  /** Several rotating keys of one stack, created by a run that has not reached its ledger. */
  static async startMany(count: number, inputs: Properties, harness: StackHarness): Promise<RotatingStack[]> {
    const stacks = Array.from({ length: count }, () => new RotatingStack(harness, inputs));
    await Promise.all(stacks.map((stack) => stack.failedUp()));
    return stacks;
  }

  /** One `pulumi up`, with a changed program if inputs are given. */
  async up(inputs: Properties = this.inputs): Promise<UpResult> {
    this.inputs = inputs;
    this.begin();
    const plan = this.plan();
    const changed = plan.changes || this.initFailed;
    try {
      if (changed) await this.apply();
    } catch (error) {
      if (!(error instanceof NotReady)) throw error;
      this.id = error.id;
      this.outputs = error.outputs;
      this.initFailed = true;
      return { changed: true, reasons: plan.reasons, notReady: error.message };
    }
    this.initFailed = false;
    await this.finishRun();
    return { changed, reasons: plan.reasons };
  }

  /** An `up` whose engine is killed after the service did everything and before anything is saved. */
  async crashedUp(inputs: Properties = this.inputs): Promise<void> {
    this.inputs = inputs;
    this.begin();
    const { id, outputs } = this;
    await this.apply();
    this.id = id;
    this.outputs = outputs;
  }

  /** An `up` whose engine is killed after the last step, which is the ledger's, and before that step is saved. */
  async crashedLastUp(inputs: Properties = this.inputs): Promise<void> {
    const { ledger } = this;
    await this.up(inputs);
    this.ledger = ledger;
  }

  /** An `up` that saves the new key and fails later, before the ledger. */
  async failedUp(inputs: Properties = this.inputs): Promise<void> {
    this.inputs = inputs;
    this.begin();
    await this.apply();
  }

  /**
   * Runs the ledger as the last step of an `up` of this key and others of its stack. Its inputs and the decision to run
   * it are as in the SDK and the engine.
   */
  async finishRun(others: readonly RotatingStack[] = []): Promise<void> {
    const all = [this, ...others].map(({ outputs = {} }) => holdingsOf(outputs));
    const inputs = {
      owner: this.harness.identity,
      owned: [...new Set(all.flatMap(({ ids }) => ids))].sort(),
      compromised: all.flatMap(({ compromised }) => compromised).sort(),
      previous: Object.fromEntries(all.flatMap(({ previous }) => previous)),
      untagged: Object.fromEntries(all.flatMap(({ untagged }) => untagged)),
    };
    const { context } = this;
    for (const { id, outputs = {} } of [this, ...others]) noteHolder(kind, { id, outputs }, context);
    if (this.ledger === undefined) {
      this.ledger = (await resourceTypes.Ledger.create(inputs, context)).outputs;
    } else if (
      diff(resourceTypes.Ledger, this.ledger, inputs, { now: context.now(), driftOnly: false, hasLedger: true }).changes
    ) {
      this.ledger = await resourceTypes.Ledger.update("ledger", this.ledger, inputs, context);
    }
  }

  /** Whether an `up` would change something, and why. */
  plan(): { readonly changes: boolean; readonly reasons: readonly string[] } {
    if (this.outputs === undefined) return { changes: true, reasons: [] };
    const { inputs, failures } = check(kind, this.news, this.context);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return diff(kind, this.outputs, inputs, { now: this.harness.context.now(), driftOnly: false, hasLedger: true });
  }

  /** The state as it is saved now. */
  get saved(): SavedState {
    const { owner: id, identity } = this.harness;
    const state = new SavedState({ id, identity, runs: this.runs });
    if (this.outputs !== undefined) state.add({ type: "RotatingApiKey", id: this.id, outputs: this.outputs });
    if (this.ledger !== undefined) state.add({ type: "Ledger", id: "ledger", outputs: this.ledger });
    return state;
  }

  /** A refresh. Returns whether it reports drift. */
  async refresh(): Promise<boolean> {
    const before = this.outputs ?? {};
    this.initFailed = false;
    this.outputs = await kind.read(this.id, before, this.anotherProcess.context);
    if (this.outputs === undefined) return true;
    return diff(kind, this.outputs, this.news, { now: this.harness.context.now(), driftOnly: true, hasLedger: true })
      .changes;
  }

  async destroy(): Promise<void> {
    this.begin();
    if (this.ledger) await resourceTypes.Ledger.delete("ledger", this.ledger, this.context);
    await kind.delete(this.id, this.outputs ?? {}, this.context);
    this.outputs = undefined;
  }

  /** The id of the current key. */
  get current(): string {
    return String(this.outputs?.keyId);
  }

  /** The id of the previous key, or an empty text. */
  get previous(): string {
    return String(this.outputs?.previousKeyId ?? "");
  }

  /** All warnings so far in one text. */
  get warnings(): string {
    return this.harness.told.warn.join("\n");
  }

  /** The same stack in a separate process, which knows no list of another process. */
  private get anotherProcess(): StackHarness {
    const { settings, progress, info, warn } = this.harness.context;
    return this.harness.beside({ apiKey: settings().apiKey, context: { progress, info, warn } });
  }

  /** Each run is a separate process, so its verbs do not know the notes of other runs. The engine saves the owner first. */
  private begin(): void {
    const runId = newRunId();
    const witness: Context["witness"] = async (identity, look) =>
      this.isReadable ? this.saved.witness(identity, look) : undefined;
    this.context = { ...this.harness.context, run: new RunNotes(), runRecord: runId, nonce: noncesOf(runId), witness };
    const { completed } = resourceTypes.Owner;
    const inputs = json(completed?.({}, json({ runs: this.runs }), this.context) ?? {});
    this.runs = textsOf(inputs.runs);
  }

  private get news(): Properties {
    return { owner: this.harness.identity, ...this.inputs };
  }

  private async apply(): Promise<void> {
    const { context } = this;
    if (this.outputs === undefined) {
      const created = await kind.create(this.news, context);
      this.id = created.id;
      this.outputs = created.outputs;
    } else {
      this.outputs = await kind.update(this.id, this.outputs, this.news, context);
    }
  }
}

/** What the SDK tells the ledger about a rotating key. */
function holdingsOf(outputs: Properties) {
  const { keyId, previousKeyId, adopted } = outputs;
  const [retired, compromised] = [textsOf(outputs.retired), textsOf(outputs.compromised)];
  const waiting = retired.filter((id) => !compromised.includes(id));
  const periods = Object.fromEntries(PERIODS.map((name) => [name, outputs[name]]));
  const previous = (isRetired: boolean) => (id: string) => [id, { successor: keyId, isRetired, periods }] as const;
  const current = [keyId, previousKeyId].filter((id) => typeof id === "string");
  const { id, name } = (adopted ?? {}) as { id?: string; name?: string };
  return {
    ids: [...current, ...textsOf(outputs.pendingRevocations), ...retired],
    compromised,
    previous: [...current.slice(1).map(previous(false)), ...waiting.map(previous(true))],
    untagged: id !== undefined && name !== undefined ? [[id, name] as const] : [],
  };
}
