import { noteHolder } from "../../provider/keys/holders";
import { textsOf } from "../../provider/keys/key-fields";
import { resourceTypes } from "../../provider/resources/registry";
import { check } from "../../provider/schema/check";
import { diff } from "../../provider/schema/diff";
import { type Context, NotReady, type Properties, type ResourceType } from "../../provider/schema/resource-type";
import { Settings } from "../../provider/settings/settings";
import type { StackHarness } from "../unit/resources/harness";
import { Killer } from "./killer";

/** Options of a resource, its own or inherited from a component. Only the engine uses them. */
export interface Options {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  /** It is deleted together with another resource, which only a destroy deletes. */
  readonly deletedWith?: boolean;
}

/** A key of a program. */
export interface DeclaredKey {
  readonly rotating: boolean;
  readonly consumed: boolean;
  /** Whether it is created only when no operation is under way in the project. */
  readonly waits?: boolean;
  /** Whether it adopts a key that was created by hand. */
  readonly adopts?: boolean;
  readonly options?: Options;
  readonly inputs: Properties;
}

/** The keys that a program declares, by name. */
export type Program = Readonly<Record<string, DeclaredKey>>;

/** Where a command is killed: in which step, and when in that step. */
export interface Crash {
  readonly step: number;
  /** Before the call of the provider, after a number of its moments, before its result is saved, or right after that. */
  readonly when: "before" | number | "unsaved" | "saved";
}

/** Options of an `up` beside its program. Names are names of keys. */
export interface Flags {
  readonly refresh?: boolean;
  readonly crash?: Crash | undefined;
  /** Whether the configuration points to another account. */
  readonly away?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
  readonly targetDependents?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly replace?: readonly string[] | undefined;
  readonly continueOnError?: boolean | undefined;
  /** The keys whose consumers fail. */
  readonly failing?: readonly string[] | undefined;
}

/** The account to which a configuration points, and its credential. */
export interface Place {
  readonly harness: StackHarness;
  readonly apiKey: string;
  /** Whether the user confirms the account. */
  readonly confirmed?: boolean;
}

/** A resource in the state. */
export interface Stored {
  readonly name: string;
  readonly kind: keyof typeof resourceTypes;
  readonly id: string;
  readonly outputs: Properties;
  readonly options: Options;
  readonly notReady: boolean;
  /** Whether it has been replaced and waits for its deletion. */
  readonly doomed: boolean;
}

/** The process died. */
class Crashed extends Error {}

/** A step and therefore the run failed. */
class StepFailed extends Error {}

/** The engine stops, independent of the flags. */
class Refused extends StepFailed {}

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false, reasons: [] };

/** Who held which keys at a time. Times are positions in the control plane's log. */
export interface Holding {
  readonly since: number;
  /** The id of the owner in the state; absent before the first `up` and after a destroy. */
  readonly owner: string | undefined;
  /** Ids of keys in the state that are neither replaced nor being deleted. */
  readonly state: ReadonlySet<string>;
  /** Ids of the keys that consumers have. */
  readonly consumers: ReadonlySet<string>;
}

/**
 * A stack, deployed by a minimal engine without processes. It has the order of the steps, the state, which is saved after
 * each step, and consumers, which receive a key right after it is saved.
 */
export class MiniEngine {
  state: readonly Stored[] = [];
  readonly consumers = new Map<string, string>();
  readonly holdings: Holding[] = [];
  /** All messages and errors so far. */
  readonly said: string[] = [];
  /** The names of all creations that were sent. */
  readonly names: string[] = [];
  /** The ids of all owners so far. */
  readonly owners = new Set<string>();
  /** Ids of keys that should outlive their resources, which are gone. */
  readonly kept = new Set<string>();
  /** Ids of keys that the engine removed from the state without calling the provider. A destroy names them. */
  readonly dropped = new Set<string>();
  /** Ids of keys that the program received, which it does only when they are ready. */
  private readonly handedOut = new Set<string>();
  /** Ids of live keys that a read reported as gone. */
  readonly wronglyGone: string[] = [];
  /** How often this command called the provider. */
  calls = 0;
  /** The account to which the configuration should point. An exchanged credential replaces it. */
  home: Place;
  /** Another account, which contains nothing of the stack. */
  away: Place | undefined;
  /** The account of the last `up`. A command without a program uses the configuration in the state. */
  configured: Place;
  private harness: StackHarness;
  private killer: Killer;
  private flags: Flags = {};
  private isDestroy = false;
  private steps = 0;
  private failures = 0;
  /** Ids of the resources that this run has replaced. */
  private readonly replaced = new Set<string>();
  /** What the program declares, once it has run to its end. Everything else is about to be deleted. */
  private declared: Program | undefined;

  constructor(first: StackHarness) {
    this.harness = first;
    this.home = { harness: first, apiKey: first.plane.apiKey };
    this.configured = this.home;
    this.killer = new Killer(first.account);
  }

  /** Whether the next command uses the other account. A stack without an owner can use any account. */
  isAway(flags?: Flags): boolean {
    const isAway = flags === undefined ? this.configured === this.away : flags.away === true && this.away !== undefined;
    return isAway && this.owner !== undefined;
  }

  /** The owner of the keys; absent before the first `up` and after a destroy. */
  get owner(): Stored | undefined {
    return this.state.find(({ kind }) => kind === "Owner");
  }

  /** Deploys a program. Returns whether the run was complete. */
  up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command(flags, async () => {
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
      this.declared = program;
      await this.note();
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

  /** Deletes resources that left the program or were replaced. */
  private async deleteLeftovers(program: Program): Promise<void> {
    const isLeft = ({ name, doomed }: Stored) =>
      this.includes(name) && (doomed || !(name in program || name === "keyplane"));
    for (const name of [...this.consumers.keys()].filter((each) => !program[each]?.consumed)) {
      if (this.includesConsumer(name)) await this.attempt(() => this.deliver(name, undefined));
      // Its consumer would be deleted, too, and is no target.
      else if (this.includes(name) && !(name in program)) throw new Refused();
    }
    for (const old of this.state.filter(isLeft)) {
      // Dependencies of a failed consumer stay. A key that an earlier run replaced does not count as one.
      if (this.flags.failing?.includes(old.name) && this.replaced.has(old.id)) continue;
      if (old.options.protect && !old.doomed) this.fail(`${old.name} is protected`);
      else await this.attempt(() => this.delete(old));
    }
  }

  private async ensureOwner(): Promise<Stored | undefined> {
    if (!this.includes("keyplane")) {
      if (this.owner === undefined) throw new Refused();
      return this.owner;
    }
    const owner = await this.attempt(() => this.ensure("Owner", "keyplane", { project: "model", stack: "dev" }));
    if (owner !== undefined) this.owners.add(owner.id);
    return owner;
  }

  /** Returns undefined for a key that the run leaves out and that does not exist. */
  private async ensureKey(name: string, key: DeclaredKey, owner: Stored): Promise<Stored | undefined> {
    if (!this.includes(name)) return this.state.find((each) => each.name === name && !each.doomed);
    const { options = {} } = key;
    const retained = options.protect || options.retainOnDelete;
    const inputs = {
      ...key.inputs,
      ...(retained && { retained }),
      owner: owner.outputs.identity,
      resourceUrn: urnOf(name),
    };
    return this.ensure(key.rotating ? "RotatingApiKey" : "ApiKey", name, inputs, options);
  }

  private includes(name: string): boolean {
    const { target, exclude } = this.flags;
    return target?.includes(name) ?? !exclude?.includes(name);
  }

  private includesConsumer(name: string): boolean {
    const { target, targetDependents } = this.flags;
    return target === undefined || (targetDependents === true && target.includes(name));
  }

  /** Goes on after a failure if the flags say so. */
  private async attempt<T>(body: () => Promise<T>): Promise<T | undefined> {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof StepFailed) || error instanceof Refused || !this.flags.continueOnError) throw error;
      this.failures += 1;
      return undefined;
    }
  }

  private fail(why: string): void {
    this.said.push(why);
    this.failures += 1;
  }

  /** Previews an `up`, and saves nothing. */
  preview(program: Program): Promise<boolean> {
    return this.command({}, async () => {
      const owner = this.owner?.outputs.identity ?? "unknown";
      for (const [name, key] of Object.entries(program)) {
        const kindName = key.rotating ? "RotatingApiKey" : "ApiKey";
        const { old, inputs, context } = this.checked(kindName, name, {
          ...key.inputs,
          owner,
          resourceUrn: urnOf(name),
        });
        if (old) diff(resourceTypes[kindName], old.outputs, inputs, termsOf(context));
      }
    });
  }

  /** Repeats deletions, like an engine that was killed before it could record them. */
  deleteAgain(gone: readonly Stored[]): Promise<boolean> {
    return this.command({}, async () => {
      this.isDestroy = true;
      for (const old of gone) await this.delete(old);
    });
  }

  /** Refreshes everything. Returns whether all resources could be read. */
  refresh(crash?: Crash): Promise<boolean> {
    return this.command({ crash }, () => this.readAll());
  }

  /** Destroys everything. Returns whether the run was complete. */
  destroy(crash?: Crash): Promise<boolean> {
    return this.command({ crash }, async () => {
      this.isDestroy = true;
      for (const ledger of this.state.filter(({ kind }) => kind === "Ledger")) await this.delete(ledger);
      for (const consumer of [...this.consumers.keys()]) await this.deliver(consumer, undefined);
      for (const key of this.state.filter(({ kind }) => kind !== "Owner")) {
        if (key.options.protect && !key.doomed) this.fail(`${key.name} is protected`);
        else await this.delete(key);
      }
      if (this.failures > 0) throw new StepFailed();
      for (const owner of this.state) await this.delete(owner);
    });
  }

  /** Removes the protection of all resources in the state. */
  unprotect(): void {
    this.state = this.state.map((each) => ({ ...each, options: { ...each.options, protect: false } }));
  }

  private async command(flags: Flags, body: () => Promise<void>): Promise<boolean> {
    this.flags = flags;
    this.isDestroy = false;
    this.steps = 0;
    this.calls = 0;
    this.failures = 0;
    this.replaced.clear();
    this.declared = undefined;
    this.enter(this.configured);
    try {
      await body();
      return true;
    } catch (error) {
      if (error instanceof Crashed || error instanceof StepFailed) return false;
      throw error;
    } finally {
      this.leave();
    }
  }

  /** Starts the process for the provider's code, with this configuration. */
  private enter(place: Place): void {
    this.leave();
    const { harness, apiKey, confirmed } = place;
    const beside = harness.beside({ apiKey });
    const confirmedAccounts = confirmed ? [beside.context.fingerprint()] : [];
    const settings = new Settings({ ...beside.context.settings(), confirmedAccounts });
    this.harness = harness.beside({ apiKey, context: { settings: () => settings } });
    this.killer = new Killer(this.harness.account);
  }

  /** Ends that process. */
  private leave(): void {
    this.killer.kill();
    this.said.push(...Object.values(this.harness.told).flatMap((texts) => texts.splice(0)));
    this.names.push(...this.harness.names.splice(0));
  }

  private async ensure(
    kindName: keyof typeof resourceTypes,
    name: string,
    news: Properties,
    options: Options = {},
  ): Promise<Stored> {
    const kind: ResourceType = resourceTypes[kindName];
    const { old, inputs, context } = this.checked(kindName, name, news);
    if (old === undefined) return this.create(kindName, name, inputs, options, context);
    // The engine requests no diff for a forced replacement.
    const isForced = this.flags.replace?.includes(name);
    const difference = isForced ? FORCED : diff(kind, old.outputs, inputs, termsOf(context));
    if (!isForced) noteHolder(kind, old.id, old.outputs, context);
    if (difference.replaces.length > 0 && options.protect && old.options.protect) {
      this.said.push(`${name} is protected`);
      throw new Refused();
    }
    if (difference.deleteBeforeReplace) {
      await this.deliver(name, undefined);
      await this.delete(old);
      return this.create(kindName, name, inputs, options, context);
    }
    if (difference.replaces.length > 0) return this.create(kindName, name, inputs, options, context, old);
    if (!difference.changes && !old.notReady) return this.put(old, { ...old, options });
    return this.step(async () => {
      const outcome = await this.outcome(async () => {
        const outputs = await kind.update(old.id, old.outputs, inputs, context);
        noteHolder(kind, old.id, outputs, context);
        return outputs;
      });
      return { ...outcome, change: (result) => this.put(old, { ...old, ...result, options }) };
    });
  }

  private checked(kindName: keyof typeof resourceTypes, name: string, news: Properties) {
    const context: Context = { ...this.harness.context, urn: urnOf(name) };
    const { inputs, failures } = check(resourceTypes[kindName], news, context);
    if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
    const old = this.state.find((each) => each.kind === kindName && each.name === name && !each.doomed);
    return { old, inputs, context };
  }

  private create(
    kindName: keyof typeof resourceTypes,
    name: string,
    inputs: Properties,
    options: Options,
    context: Context,
    old?: Stored,
  ): Promise<Stored> {
    return this.step(async () => {
      const made = { id: "" };
      const outcome = await this.outcome(async () => {
        const { id, outputs } = await resourceTypes[kindName].create(inputs, context);
        noteHolder(resourceTypes[kindName], id, outputs, context);
        made.id = id;
        return outputs;
      });
      const change = (result: Pick<Stored, "outputs" | "notReady">): Stored => {
        if (old) this.put(old, { ...old, doomed: true });
        if (old) this.replaced.add(old.id);
        const id = outcome.id ?? made.id;
        return this.put(undefined, { kind: kindName, name, id, doomed: false, options, ...result });
      };
      return { ...outcome, change };
    });
  }

  private async delete(old: Stored): Promise<void> {
    const context: Context = { ...this.harness.context, urn: urnOf(old.name) };
    const { retainOnDelete, deletedWith } = old.options;
    const isDropped = retainOnDelete || (deletedWith && this.isDestroy);
    await this.note(old);
    await this.step(async () => {
      const outcome = await this.outcome(async () => {
        if (!isDropped) await resourceTypes[old.kind].delete(old.id, old.outputs, context);
        return {};
      });
      const change = (): Stored => {
        this.state = this.state.filter((each) => each !== old);
        const { keyId, previousKeyId, revokeOnDelete } = old.outputs;
        if (isDropped) for (const id of [keyId, previousKeyId]) this.dropped.add(String(id));
        const stays = retainOnDelete || revokeOnDelete === false;
        const staying = stays ? [keyId, previousKeyId].map(String) : [];
        for (const id of staying.filter((each) => this.handedOut.has(each))) this.kept.add(id);
        return old;
      };
      return { ...outcome, change };
    });
  }

  private async readAll(): Promise<void> {
    let failed = false;
    for (const old of this.state.filter(({ name, doomed }) => !doomed && this.includes(name))) {
      const context: Context = { ...this.harness.context, urn: urnOf(old.name) };
      try {
        this.calls += 1;
        const outputs = await resourceTypes[old.kind].read(old.id, old.outputs, context);
        await this.noteGone(old.outputs, outputs);
        if (this.killer.isDead) throw new Crashed();
        if (outputs) this.put(old, { ...old, outputs, notReady: false });
        else this.state = this.state.filter((each) => each !== old);
      } catch (error) {
        if (this.killer.isDead || error instanceof Crashed) throw new Crashed();
        this.said.push(String((error as Error).message));
        failed = true;
      }
    }
    await this.note();
    if (failed) throw new StepFailed();
  }

  /** A revoked key never comes back, so a key that is live now was also live when the read reported it as gone. */
  private async noteGone(before: Properties, after: Properties | undefined): Promise<void> {
    const isGone = (field: string, mark: string) =>
      before[field] !== undefined && (after === undefined || after[field] === undefined || after[mark] === true);
    const ids = [
      ...(isGone("keyId", "gone") || isGone("keyId", "currentGone") ? [before.keyId] : []),
      ...(isGone("previousKeyId", "") ? [before.previousKeyId] : []),
    ].map(String);
    if (ids.length === 0) return;
    const live = await this.home.harness.plane.liveKeys();
    this.wronglyGone.push(...ids.filter((each) => live.some(({ id }) => String(id) === each)));
  }

  private async deliver(consumer: string, keyId: string | undefined): Promise<void> {
    if (this.consumers.get(consumer) === keyId) return;
    await this.step(async () => {
      if (keyId !== undefined && this.flags.failing?.includes(consumer)) {
        return { failure: `the consumer of ${consumer} fails`, change: () => undefined };
      }
      if (keyId === undefined) this.consumers.delete(consumer);
      else this.consumers.set(consumer, keyId);
      return { change: () => undefined };
    });
  }

  /** Executes a step, which is killed at the point that the crash defines. */
  private async step<T>(call: () => Promise<Outcome<T>>): Promise<T> {
    this.steps += 1;
    const crash = this.flags.crash?.step === this.steps ? this.flags.crash.when : undefined;
    if (crash === "before") throw new Crashed();
    if (typeof crash === "number") this.killer.arm(crash);
    const { change, result, failure } = await call();
    if (this.killer.isDead || crash === "unsaved" || typeof crash === "number") throw new Crashed();
    if (failure !== undefined) this.said.push(failure);
    const fails = failure !== undefined;
    const changed = fails && result === undefined ? undefined : change(result ?? { outputs: {}, notReady: false });
    await this.note();
    if (crash === "saved") throw new Crashed();
    if (fails) throw new StepFailed();
    return changed as T;
  }

  private async outcome(verb: () => Promise<Properties>): Promise<Omit<Outcome<never>, "change">> {
    this.calls += 1;
    try {
      return { result: { outputs: await verb(), notReady: false } };
    } catch (error) {
      if (!(error instanceof NotReady)) return { failure: String((error as Error).message) };
      return { failure: error.reason, result: { outputs: error.outputs, notReady: true }, id: error.id };
    }
  }

  private put(old: Stored | undefined, now: Stored): Stored {
    this.state = [...this.state.filter((each) => each !== old), now];
    return now;
  }

  private async note(deleting?: Stored): Promise<void> {
    const { declared } = this;
    const stays = ({ name }: Stored) => declared === undefined || name in declared;
    const held = this.state.filter((each) => !each.doomed && each !== deleting && stays(each));
    const consumers = new Set(
      [...this.consumers].filter(([name]) => declared === undefined || declared[name]?.consumed).map(([, id]) => id),
    );
    // In such runs the engine itself deletes keys of consumers that failed, or that it left out.
    if (deleting && (this.flags.target || this.flags.continueOnError)) {
      for (const id of [deleting.outputs.keyId, deleting.outputs.previousKeyId]) consumers.delete(String(id));
    }
    const ids = held.flatMap(({ outputs }) => (typeof outputs.keyId === "string" ? [outputs.keyId] : []));
    const since = await this.home.harness.plane.count();
    this.holdings.push({ since, owner: this.owner?.id, state: new Set(ids), consumers });
  }

  /** What the ledger receives about the keys with these names. */
  private ledgerInputs(owner: string, names: ReadonlySet<string>): Properties {
    const keys = this.state.filter(({ name, kind, doomed }) => kind !== "Ledger" && names.has(name) && !doomed);
    const doomedOf = ({ pendingRevocations, retired }: Properties) => [
      ...textsOf(pendingRevocations),
      ...textsOf(retired),
    ];
    const owned = keys.flatMap(({ outputs }) => [
      ...[outputs.keyId, outputs.previousKeyId].filter((id) => id !== undefined).map(String),
      ...doomedOf(outputs),
    ]);
    const rotating = keys.filter(({ kind }) => kind === "RotatingApiKey");
    const adopted = rotating.flatMap(({ outputs }) => (outputs.adopted ? [outputs.adopted as Adopted] : []));
    return {
      owner,
      owned: [...new Set(owned)].sort(),
      lostNames: [...new Set(keys.flatMap(({ outputs }) => textsOf(outputs.lostNames)))].sort(),
      pendingRevocations: [...new Set(rotating.flatMap(({ outputs }) => doomedOf(outputs)))].sort(),
      ...(adopted.length > 0 && { untagged: Object.fromEntries(adopted.map(({ id, name }) => [id, name])) }),
    };
  }
}

interface Adopted {
  readonly id: string;
  readonly name: string;
}

function urnOf(name: string): string {
  return `urn:pulumi:dev::model::key::${name}`;
}

/** The context of a diff in an `up`. */
function termsOf(context: Context) {
  return { now: context.now(), fingerprint: context.fingerprint, driftOnly: false };
}

interface Outcome<T> {
  /** The value to record; absent if there is nothing to record. */
  readonly result?: Pick<Stored, "outputs" | "notReady">;
  readonly failure?: string;
  /** The id of a resource that is not ready, as the error has it. */
  readonly id?: string;
  readonly change: (result: Pick<Stored, "outputs" | "notReady">) => T;
}
