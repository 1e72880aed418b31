import { noteHolder } from "../../../provider/keys/holders";
import { resourceTypes } from "../../../provider/resources/registry";
import { check } from "../../../provider/schema/check";
import { diff } from "../../../provider/schema/diff";
import { type Context, NotReady, newRunNotes, type Properties } from "../../../provider/schema/resource-type";
import { StackHarness } from "./harness";

/** What one `up` did with the rotating key. */
export interface UpResult {
  /** Whether there was anything to do for it, whatever the ledger had to do. */
  readonly changed: boolean;
  /** Why, where the program does not show it. */
  readonly reasons: readonly string[];
  /** Why it is recorded as not ready. */
  readonly notReady?: string;
}

/** Periods of a day's grace and an hour's quiet, in milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const kind = resourceTypes.RotatingApiKey;

/** A stack of one rotating key and its ledger, run the way the engine does: what a verb answers is saved afterwards. */
export class RotatingStack {
  id = "";
  outputs: Properties | undefined;
  /** The ledger's outputs, once a run has come to its end. */
  ledger: Properties | undefined;
  private initFailed = false;
  /** What the verbs of the run under way are given. */
  private context: Context;

  private constructor(
    public harness: StackHarness,
    public inputs: Properties,
  ) {
    this.context = harness.context;
  }

  /** A stack whose first key is made. */
  static async start(inputs: Properties = {}, harness?: StackHarness): Promise<RotatingStack> {
    const stack = new RotatingStack(harness ?? (await StackHarness.start()), inputs);
    await stack.up();
    return stack;
  }

  /** Several rotating keys of one stack, made by a run that has not come to its ledger. */
  static async startMany(count: number, inputs: Properties, harness: StackHarness): Promise<RotatingStack[]> {
    const stacks = Array.from({ length: count }, () => new RotatingStack(harness, inputs));
    await Promise.all(stacks.map((stack) => stack.failedUp()));
    return stacks;
  }

  /** One `pulumi up`, of a changed program where inputs are given. */
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
      return { changed: true, reasons: plan.reasons, notReady: error.reason };
    }
    this.initFailed = false;
    await this.finishRun();
    return { changed, reasons: plan.reasons };
  }

  /** An `up` whose engine is killed after the service has done everything, and before anything is saved. */
  async crashedUp(inputs: Properties = this.inputs): Promise<void> {
    this.inputs = inputs;
    this.begin();
    const { id, outputs } = this;
    await this.apply();
    this.id = id;
    this.outputs = outputs;
  }

  /** An `up` whose engine is killed after its last step, the ledger's, and before that is saved. */
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
   * Runs the ledger as the last step of an `up` of this key and others of its stack. What it is told, and whether it
   * does anything, is as in the SDK and the engine.
   */
  async finishRun(others: readonly RotatingStack[] = []): Promise<void> {
    const outputs = [this, ...others].map((stack) => stack.outputs ?? {});
    const all = (...fields: string[]) => [
      ...new Set(outputs.flatMap((each) => fields.flatMap((field) => (each[field] ?? []) as string | string[])).sort()),
    ];
    const inputs = {
      owner: this.harness.identity,
      owned: all("keyId", "previousKeyId", "pendingRevocations", "retired"),
      lostNames: all("lostNames"),
      pendingRevocations: all("pendingRevocations", "retired"),
      compromised: outputs.flatMap(({ retired, revokeNow }) =>
        ((retired ?? []) as string[]).filter((id) => id === revokeNow),
      ),
      untagged: Object.fromEntries(
        outputs
          .map(({ adopted }) => adopted as { id: string; name: string } | undefined)
          .flatMap((each) => (each === undefined ? [] : [[each.id, each.name]])),
      ),
    };
    const { context } = this;
    for (const { id, outputs } of [this, ...others]) noteHolder(kind, id, outputs ?? {}, context);
    if (this.ledger === undefined) {
      this.ledger = (await resourceTypes.Ledger.create(inputs, context)).outputs;
    } else if (diff(resourceTypes.Ledger, this.ledger, inputs, { now: context.now(), driftOnly: false }).changes) {
      this.ledger = await resourceTypes.Ledger.update("ledger", this.ledger, inputs, context);
    }
  }

  /** Whether an `up` would do something, and why. */
  plan(): { readonly changes: boolean; readonly reasons: readonly string[] } {
    if (this.outputs === undefined) return { changes: true, reasons: [] };
    const { inputs, failures } = check(kind, this.news, this.context);
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return diff(kind, this.outputs, inputs, { now: this.harness.context.now(), driftOnly: false });
  }

  /** A refresh; answers whether it reports drift. */
  async refresh(): Promise<boolean> {
    const before = this.outputs ?? {};
    this.initFailed = false;
    this.outputs = await kind.read(this.id, before, this.anotherProcess.context);
    if (this.outputs === undefined) return true;
    return diff(kind, this.outputs, this.news, { now: this.harness.context.now(), driftOnly: true }).changes;
  }

  async destroy(): Promise<void> {
    this.begin();
    await kind.delete(this.id, this.outputs ?? {}, this.context);
    this.outputs = undefined;
  }

  /** The id of the current key. */
  get current(): string {
    return String(this.outputs?.keyId);
  }

  /** The id of the previous key; empty without one. */
  get previous(): string {
    return String(this.outputs?.previousKeyId ?? "");
  }

  /** Everything that was said as a warning so far, in one text. */
  get warnings(): string {
    return this.harness.told.warn.join("\n");
  }

  /** The same stack in a process of its own, which knows no list that another one has read. */
  private get anotherProcess(): StackHarness {
    const { settings, progress, info, warn } = this.harness.context;
    return this.harness.beside({ apiKey: settings().apiKey, context: { progress, info, warn } });
  }

  /** A run is a process of its own: its verbs know nothing of what others told each other. */
  private begin(): void {
    this.context = { ...this.harness.context, run: newRunNotes() };
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
