import { resourceTypes } from "../../provider/dynamic/registry";
import { accountIn } from "../../provider/keys/account-fingerprint";
import { MAX_SKEW_MS } from "../../provider/keys/clock-skew";
import { noteHolder } from "../../provider/keys/holders";
import { readRecord, runIn } from "../../provider/keys/names";
import { textsOf } from "../../provider/members";
import { check } from "../../provider/schema/check";
import type { Difference } from "../../provider/schema/diff";
import type { Properties } from "../../provider/schema/outputs";
import type { Context, NotReady, ResourceType } from "../../provider/schema/resource-type";
import { compareResource } from "../../provider/session/compare-resource";
import { runVerb, type Verb, VerbError } from "../../provider/session/verb";
import type { LiveKey } from "../../testing/control-plane";
import { MiniEngine, Refused, type Result, type Saved, StepFailed } from "./mini-engine";
import { ModelSession } from "./provider-process";
import type { DeclaredKey, Flags, Options, Place, Program, Stored } from "./state";

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false } as const;

/** The inputs of a rotating key that the ledger gets with a previous key. */
const PERIODS = ["rotateAfter", "gracePeriod", "quietPeriod", "maxOverlap"];

/** A stack of the dynamic provider: with an owner, which its keys refer to, and a ledger, which runs last. */
export class DynamicEngine extends MiniEngine {
  private session = this.newSession(this.home);
  /** Ids of all keys that a ledger of this history has ever recorded, and when they were created. */
  private readonly seen = new Map<string, number>();

  override get ownerId(): string | undefined {
    return this.owner?.id;
  }

  /** The first one does, and after a renaming of the stack that makes it a copy. */
  override get mintsOwner(): boolean {
    const stack = this.owner?.outputs.stack;
    return stack !== this.stack && !this.renamedFrom.includes(String(stack));
  }

  private get owner(): Stored | undefined {
    return this.state.find(({ kind, doomed }) => kind === "Owner" && !doomed);
  }

  override urnOf(name: string, kind: Stored["kind"]): string {
    return `urn:pulumi:${this.stack}::model::${this.typeOf(kind)}::${name}`;
  }

  override typeOf(kind: Stored["kind"]): string {
    return `pulumi-nodejs:dynamic/keyplane:${kind}`;
  }

  override isOnRecord(name: string): boolean {
    return textsOf(this.owner?.inputs.runs).some((run) => readRecord(run).id === runIn(name));
  }

  /**
   * Hazard: a run is on record that requested the key, and no ledger has ever seen it, because each run with it failed.
   * So nothing distinguishes it from what the death of the provider leaves. The same holds if a `destroy` has deleted the
   * only ledger, and the run that made it was killed before it got into the history.
   */
  protected override isUnproven(id: string): boolean {
    const createdAt = this.seen.get(id);
    if (createdAt === undefined) return true;
    return !this.state.some(({ kind }) => kind === "Ledger") && !this.mayHaveDeliveredSince(createdAt);
  }

  protected override note(deleting?: Stored): Promise<void> {
    // Hazard: a killed destroy, which is not in the history, has deleted the ledger that knew a key of a failed run.
    const isKnown = this.state.some(({ kind }) => kind === "Ledger");
    for (const id of isKnown || this.isDestroy ? [] : this.released) {
      if (!this.isUnproven(id)) continue;
      this.released.delete(id);
      this.dropped.add(id);
    }
    return super.note(deleting);
  }

  protected override sibling(stack: string): DynamicEngine {
    return new DynamicEngine(this.first, stack);
  }

  override up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command("update", flags, async () => {
      if (flags.refresh) await this.readAll();
      const place = this.isAway(flags) && this.away ? this.away : this.home;
      if (place !== this.configured) this.enter(place);
      this.configured = place;
      const owner = await this.ensureOwner();
      const told = new Set<string>();
      for (const [name, key] of Object.entries(program)) {
        const held = owner && (await this.attempt(() => this.ensureKey(name, key, owner)));
        if (held === undefined) continue;
        told.add(name);
        const keyId = String(held.outputs.keyId);
        this.handedOut.add(keyId);
        if (key.consumed && this.includesConsumer(name)) await this.attempt(() => this.deliver(name, keyId));
      }
      // Resources that left the program are deleted after the ledger runs, and the ledger cannot distinguish such a key
      // from an orphan if it was created by a failed run. All other resources have a new key by then.
      await this.declare(program);
      if (owner !== undefined && this.includes("keyplane")) {
        const isComplete = this.failures === 0 && told.size === Object.keys(program).length;
        const inputs = this.ledgerInputs(String(owner.outputs.identity), told);
        await this.attempt(() =>
          this.ensure("Ledger", "keyplane", { ...inputs, ...(!isComplete && { incomplete: true }) }),
        );
      }
      await this.deleteLeftovers(program);
      if (this.failures > 0) throw new StepFailed();
    });
  }

  // The ledger runs when the stack's outputs are known, also if the run is killed after that.
  protected override put(old: Stored | undefined, now: Stored): Stored {
    const stored = super.put(old, now);
    const isDone = this.declared !== undefined && now.inputs.incomplete === undefined;
    if (now.kind === "Ledger" && isDone) this.showKeys();
    this.noteLedger(now);
    return stored;
  }

  override restore(saved: Saved): void {
    super.restore(saved);
    this.seen.clear();
    for (const each of this.state) this.noteLedger(each);
  }

  /** A ledger that is newer than its stack does not know what earlier runs delivered. Two clocks may differ. */
  override mayHaveBeenDelivered({ createdAt }: LiveKey): boolean {
    const from = Date.parse(createdAt) - MAX_SKEW_MS;
    const { outputs } = this.state.find(({ kind, doomed }) => kind === "Ledger" && !doomed) ?? {};
    const isNew = outputs === undefined || Date.parse(String(outputs.knowsSince)) >= from;
    return isNew && this.mayHaveDeliveredSince(from);
  }

  private noteLedger({ kind, outputs }: Stored): void {
    if (kind !== "Ledger") return;
    for (const id of [...textsOf(outputs.owned), ...textsOf(outputs.delivered)]) {
      const key = this.state.find((each) => each.outputs.keyId === id);
      if (!this.seen.has(id)) this.seen.set(id, Date.parse(String(key?.outputs.createdAt)) || 0);
    }
  }

  private async ensureOwner(): Promise<Stored | undefined> {
    if (!this.includes("keyplane")) {
      if (this.owner === undefined) throw new Refused();
      return this.owner;
    }
    const inputs = { project: "model", stack: this.stack, organization: "organization" };
    const owner = await this.attempt(() => this.ensure("Owner", "keyplane", inputs));
    if (owner !== undefined) this.owners.add(owner.id);
    return owner;
  }

  /** Returns undefined for a key that the run leaves out and that does not exist. */
  private async ensureKey(name: string, key: DeclaredKey, owner: Stored): Promise<Stored | undefined> {
    if (!this.includes(name)) return this.state.find((each) => each.name === name && !each.doomed);
    const { options = {} } = key;
    return this.ensure(kindOf(key), name, this.inputsOf(key, owner.outputs.identity), options);
  }

  /** The inputs that the SDK passes. */
  private inputsOf({ inputs, options = {} }: DeclaredKey, owner: unknown): Properties {
    const retained = options.protect || options.retainOnDelete;
    return { ...inputs, ...(retained && { retained }), owner };
  }

  override preview(program: Program): Promise<boolean> {
    return this.command("preview", {}, async () => {
      const identity = this.owner?.outputs.identity ?? "unknown";
      for (const [name, key] of Object.entries(program)) {
        const old = this.find(kindOf(key), name);
        const inputs = await this.checked(kindOf(key), name, this.inputsOf(key, identity), old);
        if (old) await this.compared(old, inputs);
      }
    });
  }

  override destroy(flags: Flags = {}): Promise<boolean> {
    return this.command("destroy", flags, async () => {
      this.isDestroy = true;
      for (const ledger of this.state.filter(({ kind }) => kind === "Ledger")) await this.delete(ledger);
      for (const consumer of [...this.recorded.keys()]) await this.attempt(() => this.deliver(consumer, undefined));
      for (const key of this.inOrder(this.state.filter(({ kind }) => kind !== "Owner"))) {
        // Dependencies of a failed consumer stay, except those that were replaced.
        if (this.recorded.has(key.name) && !key.doomed) continue;
        if (key.options.protect && !key.doomed) this.fail(`${key.name} is protected`);
        else await this.attempt(() => this.delete(key));
      }
      if (this.failures > 0) throw new StepFailed();
      for (const owner of this.state) await this.delete(owner);
    });
  }

  protected override enter(place: Place): void {
    super.enter(place);
    this.session = this.newSession(place);
  }

  private newSession({ harness: { plane }, apiKey, confirmed }: Place): ModelSession {
    const engine = this;
    const session = new ModelSession(this.harness, {
      get command() {
        return engine.engineCommand;
      },
      state: (stack) => this.exported(stack),
      history: (stack) => this.runs(stack),
    });
    const config: Readonly<Record<string, string>> = {
      ...{ baseUrl: plane.url, apiKey, renamedFrom: JSON.stringify(this.renamedFrom) },
      ...(confirmed && { confirmAccount: String(accountIn(this.harness.context.accountMark())) }),
    };
    session.configure((name) => config[name]);
    return session;
  }

  protected override endWithoutEngine(): Promise<void> {
    return this.session.endWithoutEngine();
  }

  protected override callDelete({ name, kind, id, outputs }: Stored): Promise<void> {
    const type: ResourceType = resourceTypes[kind];
    return this.verb("delete", kind, name, outputs, (context) => type.delete(id, outputs, context));
  }

  protected override async callRead(old: Stored): Promise<Stored | undefined> {
    const { name, kind, id, outputs } = old;
    const type: ResourceType = resourceTypes[kind];
    const found = await this.verb("read", kind, name, outputs, (context) => {
      this.session.noteRead(id, context.urn);
      return type.read(id, outputs, context);
    });
    return found && { ...old, outputs: plain(found) };
  }

  protected override notReady(error: unknown): NotReady | undefined {
    const reached = error instanceof VerbError ? error.notReady : undefined;
    return reached && Object.assign(reached, { outputs: plain(reached.outputs) });
  }

  /** Calls the provider as Pulumi's dynamic host does. */
  private verb<T>(
    name: Verb["name"],
    kind: Stored["kind"],
    of: string,
    values: Properties,
    body: (context: Context) => Promise<T>,
    held = values,
  ): Promise<T> {
    const type: ResourceType = resourceTypes[kind];
    // A state that was moved or renamed has the former URN until the next update.
    const urn = String(values.resourceUrn ?? held.resourceUrn ?? this.urnOf(of, kind));
    return runVerb(this.session, { type, name, urn, values, held }, body);
  }

  private find(kind: Stored["kind"], name: string): Stored | undefined {
    return this.state.find((each) => each.kind === kind && each.name === name && !each.doomed);
  }

  private async ensure(kind: Stored["kind"], name: string, news: Properties, options: Options = {}): Promise<Stored> {
    const type: ResourceType = resourceTypes[kind];
    const old = this.find(kind, name);
    const inputs = await this.checked(kind, name, news, old);
    if (old === undefined) return this.create(kind, name, inputs, options);
    // The engine requests no diff for a forced replacement.
    const isForced = this.flags.replace?.includes(name) || old.tainted;
    const found = isForced ? FORCED : await this.compared(old, inputs);
    if (found.replaces.length > 0 && options.protect && old.options.protect) {
      this.said.push(`${name} is protected`);
      throw new Refused();
    }
    if (found.deleteBeforeReplace) {
      await this.deliver(name, undefined);
      await this.delete(old);
      return this.create(kind, name, inputs, options);
    }
    if (found.replaces.length > 0) return this.create(kind, name, inputs, options, old);
    // The engine also saves inputs that change nothing.
    if (!found.changes && !old.notReady) return this.put(old, { ...old, inputs, options });
    return this.step(async () => {
      const body = async (context: Context) => {
        const outputs = await type.update(old.id, old.outputs, inputs, context);
        noteHolder(type, { id: old.id, outputs }, context);
        return plain(outputs);
      };
      const outcome = await this.outcome(() => this.verb("update", kind, name, inputs, body, old.outputs));
      const change = (result: Result, now: number) =>
        this.put(old, { ...old, ...result, inputs, options, ...(!result.notReady && { modified: now }) });
      return { ...outcome, change };
    });
  }

  /** The inputs as the provider has checked them. */
  private async checked(
    kind: Stored["kind"],
    name: string,
    news: Properties,
    old: Stored | undefined,
  ): Promise<Properties> {
    const values = { ...news, resourceUrn: this.urnOf(name, kind) };
    const { inputs, failures } = await this.answered(() =>
      this.verb("check", kind, name, values, async (context) => {
        const checked = check(resourceTypes[kind], values, context, old?.inputs ?? {});
        this.session.noteCheck(context.urn, checked.inputs);
        return checked;
      }),
    );
    if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
    return plain(inputs);
  }

  /** An error of a diff ends the run. */
  private async compared({ kind, name, id, outputs }: Stored, inputs: Properties): Promise<Difference> {
    const type: ResourceType = resourceTypes[kind];
    try {
      const body = async (context: Context) => {
        const found = compareResource(this.session, { type, id, outputs, inputs }, context);
        for (const reason of found.reasons) context.info(reason);
        return found;
      };
      return await this.answered(() => this.verb("diff", kind, name, inputs, body, outputs));
    } catch (error) {
      this.said.push((error as Error).message);
      throw new StepFailed();
    }
  }

  private create(
    kind: Stored["kind"],
    name: string,
    inputs: Properties,
    options: Options,
    old?: Stored,
  ): Promise<Stored> {
    const type: ResourceType = resourceTypes[kind];
    return this.step(
      async () => {
        const made = { id: "" };
        const body = async (context: Context) => {
          const { id, outputs } = await type.create(inputs, context);
          noteHolder(type, { id, outputs }, context);
          made.id = id;
          return plain(outputs);
        };
        const outcome = await this.outcome(() => this.verb("create", kind, name, inputs, body));
        const change = (result: Result, now: number): Stored => {
          if (old) this.put(old, { ...old, doomed: true });
          if (old) this.replaced.add(old.id);
          const id = outcome.id ?? made.id;
          const times = { created: now, modified: now };
          return this.put(undefined, { kind, name, id, doomed: false, inputs, options, ...times, ...result });
        };
        return { ...outcome, change };
      },
      { name, kind, inputs },
    );
  }

  /** What the ledger receives about the keys with these names. */
  private ledgerInputs(owner: string, names: ReadonlySet<string>): Properties {
    const keys = this.state.filter(({ name, kind, doomed }) => kind.endsWith("ApiKey") && names.has(name) && !doomed);
    const owned = keys.flatMap(({ outputs: { keyId, previousKeyId, pendingRevocations, retired } }) => [
      ...[keyId, previousKeyId].filter((id) => id !== undefined).map(String),
      ...[...textsOf(pendingRevocations), ...textsOf(retired)],
    ]);
    const rotating = keys.filter(({ kind }) => kind === "RotatingApiKey");
    const previous = rotating.flatMap(({ outputs }) => {
      const periods = Object.fromEntries(PERIODS.map((name) => [name, outputs[name]]));
      const waiting = textsOf(outputs.retired).filter((id) => !textsOf(outputs.compromised).includes(id));
      const entry = (id: unknown, isRetired: boolean) =>
        [String(id), { successor: outputs.keyId, periods, isRetired }] as const;
      const own = outputs.previousKeyId === undefined ? [] : [entry(outputs.previousKeyId, false)];
      return [...own, ...waiting.map((id) => entry(id, true))];
    });
    const adopted = rotating.flatMap(({ outputs }) => (outputs.adopted ? [outputs.adopted as Adopted] : []));
    return {
      owner,
      owned: sorted(owned),
      compromised: sorted(rotating.flatMap(({ outputs }) => textsOf(outputs.compromised))),
      ...(previous.length > 0 && { previous: plain(Object.fromEntries(previous)) }),
      ...(adopted.length > 0 && { untagged: Object.fromEntries(adopted.map(({ id, name }) => [id, name])) }),
    };
  }
}

interface Adopted {
  readonly id: string;
  readonly name: string;
}

function kindOf({ rotating }: DeclaredKey): "ApiKey" | "RotatingApiKey" {
  return rotating ? "RotatingApiKey" : "ApiKey";
}

function sorted(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].sort();
}

/** Values as they arrive through Pulumi's protocol. */
function plain(values: Properties): Properties {
  return JSON.parse(JSON.stringify(values));
}
