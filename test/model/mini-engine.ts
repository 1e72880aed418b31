import { isDeepStrictEqual } from "node:util";
import { textsOf } from "../../provider/members";
import type { Properties } from "../../provider/schema/outputs";
import type { NotReady } from "../../provider/schema/resource-type";
import type { EngineCommand } from "../../provider/stack/command-line";
import type { Deployment, StateResource } from "../../provider/stack/deployment";
import { type Run, readHistory } from "../../provider/stack/history";
import type { LiveKey } from "../../testing/control-plane";
import type { StackHarness } from "../unit/resources/harness";
import { bare, deploymentOf, type Naming } from "./deployment";
import { Killer } from "./killer";
import {
  type Checkpoint,
  type Crash,
  type Flags,
  handedOutIn,
  keysIn,
  type Note,
  type Place,
  type Program,
  type Stored,
  type StoredConsumer,
} from "./state";

/** The engine died. */
class Crashed extends Error {}

/** A step and therefore the run failed. */
export class StepFailed extends Error {}

/** The engine stops, independent of the flags. */
export class Refused extends StepFailed {}

/** What a step records of a resource. */
export type Result = Pick<Stored, "outputs" | "notReady">;

/** Who held which keys at a time. Times are positions in the control plane's log. */
export interface Holding {
  readonly since: number;
  /** The id of the owner in the state; absent before the first `up` and after a destroy. */
  readonly owner: string | undefined;
  /** Ids of keys in the state that are neither replaced nor being deleted. */
  readonly state: ReadonlySet<string>;
  /** Ids of previous and retired keys of resources that stay, except compromised ones. */
  readonly previous: ReadonlySet<string>;
  /** Ids of the keys that consumers have. */
  readonly consumers: ReadonlySet<string>;
  /** Ids of all keys that this history of the state ever had. */
  readonly known: ReadonlySet<string>;
  /** Ids of keys that have left the state without a call of the provider, and that somebody may need. */
  readonly released: ReadonlySet<string>;
}

/** A command of an engine: from this position in the control plane's log on. */
export interface Turn {
  readonly since: number;
  readonly engine: MiniEngine;
}

/** A checkpoint that can be restored, and what it proves. */
export interface Saved extends Checkpoint {
  readonly stack: string;
  readonly owners: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
  readonly released: ReadonlySet<string>;
  readonly line: ReadonlySet<string>;
  readonly configured: Place;
}

/**
 * A stack, deployed by a minimal engine without processes. It has the order of the steps, the state, which is saved after
 * each step, and consumers, which receive a key right after it is saved. How it calls a provider is up to its subclasses.
 */
export abstract class MiniEngine implements Naming {
  state: readonly Stored[] = [];
  /** What the state says of the consumers. */
  recorded: ReadonlyMap<string, StoredConsumer> = new Map();
  /** Creations that killed runs have begun. They stay in the state. */
  notes: readonly Note[] = [];
  /** The keys that consumers really have. */
  readonly consumers = new Map<string, string>();
  /** Keys of rotating resources that the stack's outputs have shown: when they showed a successor for the first time. */
  readonly outside = new Map<string, { readonly supersededAt?: number }>();
  readonly holdings: Holding[] = [];
  /** All commands so far, of all engines of the story. */
  turns: Turn[] = [];
  /** All messages and errors so far. */
  readonly said: string[] = [];
  /** The names of all creations that were sent. */
  readonly names: string[] = [];
  /** The names that this history of the state has requested. */
  line: Set<string> = new Set();
  /** The ids of all owners so far. */
  owners = new Set<string>();
  /** Ids of keys that should outlive their resources, which are gone. */
  readonly kept = new Set<string>();
  /** Ids of all keys that this history of the state ever had. */
  known = new Set<string>();
  /** Ids of keys that left the state without a call of the provider, and that somebody may need. */
  released = new Set<string>();
  /** Ids of keys that the engine removed together with another resource, without a call of the provider. */
  readonly dropped = new Set<string>();
  /** Ids of keys that the program received, which it does only when they are ready. */
  protected readonly handedOut = new Set<string>();
  /** Ids of live keys that a read reported as gone. */
  readonly wronglyGone: string[] = [];
  /** How often this command called the provider. */
  calls = 0;
  /** How often the provider asked for the state and for the history, in this command. */
  asked = { states: 0, histories: 0 };
  /** The account to which the configuration should point. An exchanged credential replaces it. */
  home: Place;
  /** Another account, which contains nothing of the stack. */
  away: Place | undefined;
  /** The account of the last `up`. A command without a program uses the configuration in the state. */
  configured: Place;
  /** Former names of the stack, as the setting `renamedFrom` has them. */
  renamedFrom: readonly string[] = [];
  protected harness: StackHarness;
  protected killer: Killer;
  protected flags: Flags = {};
  protected isDestroy = false;
  private steps = 0;
  /** The checkpoints before each step of the last `up` that succeeded. */
  midway: readonly Saved[] = [];
  private before: Saved[] = [];
  protected failures = 0;
  /** Ids of the resources that this run has replaced. */
  protected readonly replaced = new Set<string>();
  /** What the program declares, once it has run to its end. Everything else is about to be deleted. */
  protected declared: Program | undefined;
  private declaredAt = 0;
  /** The records of `stack history`. */
  private history: readonly object[] = [];
  private underWay: Note | undefined;
  private engineDied = false;
  private ending: Promise<void> = Promise.resolve();

  constructor(
    protected readonly first: StackHarness,
    /** The name of the stack. */
    public stack: string,
  ) {
    this.harness = first;
    this.home = { harness: first, apiKey: first.plane.apiKey };
    this.configured = this.home;
    this.killer = new Killer(first.account);
  }

  /** Whether the next command uses the other account. A stack without an owner or a key takes the account of an `up`. */
  isAway(flags?: Flags): boolean {
    if (flags === undefined) return this.configured === this.away && this.ownerId !== undefined;
    return flags.away === true && this.away !== undefined && !this.mintsOwner && !this.isUnused;
  }

  /** Whether the state has no key and nothing that a creation began. Such a stack takes the account of its next `up`. */
  get isUnused(): boolean {
    const isUsed = ({ outputs }: Stored) => keysIn(outputs).length > 0 || outputs.lostNames !== undefined;
    return !this.state.some(isUsed) && this.notes.every(({ kind }) => kind === "Owner");
  }

  /** The id of the owner of new keys; absent before the first `up` and after a destroy. */
  abstract get ownerId(): string | undefined;

  /** Whether the next `up` mints an owner, for whichever account it uses. */
  abstract get mintsOwner(): boolean;

  abstract urnOf(name: string, kind: Stored["kind"]): string;

  abstract typeOf(kind: Stored["kind"]): string;

  consumerUrn(name: string): string {
    return `urn:pulumi:${this.stack}::model::test:index:Consumer::${name}-consumer`;
  }

  /** Deploys a program. Returns whether the run was complete. */
  abstract up(program: Program, flags?: Flags): Promise<boolean>;

  /** Previews an `up`, and saves nothing. */
  abstract preview(program: Program): Promise<boolean>;

  /** Destroys everything. Returns whether the run was complete. */
  abstract destroy(flags?: Flags): Promise<boolean>;

  /** An engine of the same kind without a state. */
  protected abstract sibling(stack: string): MiniEngine;

  protected abstract callDelete(old: Stored): Promise<void>;

  /** What a refresh finds of a resource. */
  protected abstract callRead(old: Stored): Promise<Stored | undefined>;

  /** A resource that is recorded, though its call failed. */
  protected abstract notReady(error: unknown): Pick<NotReady, "id" | "outputs" | "message"> | undefined;

  /** What the provider does when it finds that the engine is gone. */
  protected abstract endWithoutEngine(): Promise<void>;

  /** What the engine does with the provider at the end of a run. */
  protected async closeProviders(): Promise<void> {}

  /** The resources of the providers. */
  protected providerResources(): readonly StateResource[] {
    return [];
  }

  /** What the provider can find out about the command. */
  protected get engineCommand(): EngineCommand {
    const { target, exclude, continueOnError, unreadable, planned } = this.flags;
    const isInDoubt = Boolean(target ?? exclude ?? continueOnError ?? unreadable);
    const isLimited = Boolean(target ?? exclude) && !unreadable;
    const usesPlan = Boolean(unreadable ?? planned);
    const isDestroy = this.isDestroy && !unreadable;
    const command = { cli: "", stack: undefined, isInDoubt, isLimited, isDestroy, usesPlan };
    return { ...command, refreshes: unreadable ? "before" : "never", plan: undefined, pid: undefined };
  }

  /** What the Pulumi CLI answers now. */
  protected exported(stack: string): Deployment {
    this.asked.states += 1;
    if (stack !== this.stack) throw new Error(`there is no stack ${stack}`);
    const notes = [...this.notes, ...(this.underWay ? [this.underWay] : [])];
    return deploymentOf({ resources: this.state, consumers: this.recorded, notes }, this, this.providerResources());
  }

  protected runs(stack: string): readonly Run[] {
    this.asked.histories += 1;
    if (stack !== this.stack) throw new Error(`there is no stack ${stack}`);
    return readHistory(JSON.stringify(this.history));
  }

  /** Goes on from this stack's state in another backend, or as a copy with another name. */
  fork(stack = this.stack): MiniEngine {
    const fork = this.sibling(stack);
    // A copy with another name gets an owner of its own.
    fork.restore({ ...this.saved(), ...(stack !== this.stack && { owners: new Set() }) });
    for (const [name, id] of this.consumers) fork.consumers.set(name, id);
    for (const [id, shown] of this.outside) fork.outside.set(id, shown);
    for (const id of this.handedOut) fork.handedOut.add(id);
    fork.turns = this.turns;
    fork.home = this.home;
    fork.configured = this.configured;
    fork.renamedFrom = this.renamedFrom;
    fork.history = this.history;
    return fork;
  }

  /** Another stack of the same backend, without resources. */
  emptyStack(stack: string): MiniEngine {
    const empty = this.sibling(stack);
    empty.turns = this.turns;
    empty.home = this.home;
    empty.configured = this.configured;
    return empty;
  }

  /** The checkpoint as it is now. */
  saved(): Saved {
    const { stack, state: resources, recorded: consumers, notes, owners, known, released, line, configured } = this;
    return {
      ...{ stack, resources, consumers, notes, configured },
      ...{ owners: new Set(owners), known: new Set(known), released: new Set(released), line: new Set(line) },
    };
  }

  /** Goes on from an older checkpoint. Nothing else changes: not the consumers, and not the history of runs. */
  restore({ resources, consumers, notes, owners, known, released, line, configured }: Saved): void {
    this.state = resources;
    this.configured = configured;
    this.recorded = consumers;
    this.notes = notes;
    this.owners = new Set(owners);
    this.known = new Set(known);
    this.released = new Set(released);
    // A checkpoint from the middle of a run names the requests of that run whose answers were lost.
    const lost = resources.flatMap(({ outputs }) => textsOf(outputs.lostNames));
    this.line = new Set([...line, ...lost]);
    for (const id of resources.flatMap(({ outputs }) => keysIn(outputs))) this.kept.delete(id);
  }

  /** Removes a resource and its predecessors from the state without a call of the provider. */
  forget({ name, kind }: Stored): void {
    const lost = this.state.filter((each) => each.name === name && each.kind === kind);
    this.state = this.state.filter((each) => !lost.includes(each));
    for (const id of lost.flatMap(({ outputs }) => keysIn(outputs))) {
      (this.isUnproven(id) ? this.dropped : this.released).add(id);
    }
  }

  /** Whether the state has on record who requested a name, so that a key with it can be revoked. */
  abstract isOnRecord(name: string): boolean;

  /** Whether nothing proves that a key in the state was ever handed out. */
  protected isUnproven(_id: string): boolean {
    return false;
  }

  /** Moves a resource to the state of another stack, as `state move` does. */
  move(moved: Stored, to: MiniEngine): void {
    this.forget(moved);
    to.state = [...to.state, moved];
    for (const id of keysIn(moved.outputs)) to.known.add(id);
    // Its state names the requests whose answers were lost.
    for (const name of textsOf(moved.outputs.lostNames)) to.line.add(name);
  }

  /** Gives a resource and its predecessors another name, as `state rename` does. */
  renameResource({ name: from, kind }: Stored, name: string): void {
    this.state = this.state.map((each) => (each.name === from && each.kind === kind ? { ...each, name } : each));
    this.renameConsumer(from, name);
  }

  taint(old: Stored): void {
    this.state = this.state.map((each) => (each === old ? { ...each, tainted: true } : each));
  }

  renameStack(stack: string, keepsOwner: boolean): void {
    if (keepsOwner) this.renamedFrom = [...this.renamedFrom, this.stack];
    this.stack = stack;
  }

  /** Deletes resources that left the program or were replaced. */
  protected async deleteLeftovers(program: Program): Promise<void> {
    const exists = (name: string) => this.state.some((each) => each.name === name && !each.doomed);
    // An alias names it in the program. It still has its former name if its replacement could not be created.
    const aliased = Object.keys(program).flatMap((name) => (exists(name) ? [] : (program[name]?.alias ?? [])));
    const isLeft = ({ name, doomed }: Stored) =>
      this.includes(name) && (doomed || !(name in program || aliased.includes(name) || name === "keyplane"));
    for (const name of [...this.recorded.keys()].filter((each) => !program[each]?.consumed)) {
      if (this.includesConsumer(name)) await this.attempt(() => this.deliver(name, undefined));
      // Its consumer would be deleted, too, and is no target.
      else if (this.includes(name) && !(name in program)) throw new Refused();
    }
    for (const old of this.inOrder(this.state.filter(isLeft))) {
      // Dependencies of a failed consumer stay. A key that an earlier run replaced does not count as one.
      if (this.flags.failing?.includes(old.name) && this.replaced.has(old.id)) continue;
      if (old.options.protect && !old.doomed) this.fail(`${old.name} is protected`);
      else await this.attempt(() => this.delete(old));
    }
  }

  protected includes(name: string): boolean {
    const { target, exclude } = this.flags;
    return target?.includes(name) ?? !exclude?.includes(name);
  }

  protected includesConsumer(name: string): boolean {
    const { target, targetDependents } = this.flags;
    return target === undefined || (targetDependents === true && target.includes(name));
  }

  /** Goes on after a failure if the flags say so. */
  protected async attempt<T>(body: () => Promise<T>): Promise<T | undefined> {
    try {
      return await body();
    } catch (error) {
      if (!(error instanceof StepFailed) || error instanceof Refused || !this.flags.continueOnError) throw error;
      this.failures += 1;
      return undefined;
    }
  }

  protected fail(why: string): void {
    this.said.push(why);
    this.failures += 1;
  }

  /** Repeats deletions, like an engine that was killed before it could record them. */
  deleteAgain(gone: readonly Stored[]): Promise<boolean> {
    return this.command("destroy", {}, async () => {
      this.isDestroy = true;
      for (const old of gone) await this.delete(old);
    });
  }

  /** Refreshes everything. Returns whether all resources could be read. */
  refresh(flags: Flags = {}): Promise<boolean> {
    return this.command("refresh", flags, () => {
      if (flags.clearPending) this.notes = [];
      return this.readAll();
    });
  }

  /** Removes the protection of all resources in the state. */
  unprotect(): void {
    this.state = this.state.map((each) => ({ ...each, options: { ...each.options, protect: false } }));
  }

  protected async command(
    kind: "update" | "preview" | "refresh" | "destroy",
    flags: Flags,
    body: () => Promise<void>,
  ): Promise<boolean> {
    this.flags = flags;
    this.isDestroy = false;
    this.steps = 0;
    this.before = [];
    this.calls = 0;
    this.asked = { states: 0, histories: 0 };
    this.failures = 0;
    this.replaced.clear();
    this.declared = undefined;
    this.engineDied = false;
    this.ending = Promise.resolve();
    // No two runs begin in the same second.
    await this.first.clock.pass(1_000);
    const began = this.first.clock.now();
    this.turns.push({ since: await this.home.harness.plane.count(), engine: this });
    // The state can be another one since the last command, and that of a fork is new.
    await this.note();
    this.enter(this.configured);
    let result: "succeeded" | "failed" = "failed";
    try {
      await body();
      result = "succeeded";
      if (kind === "update") this.midway = this.before;
      return true;
    } catch (error) {
      if (error instanceof Crashed || error instanceof StepFailed) return false;
      throw error;
    } finally {
      if (!this.engineDied && !this.killer.isDead) await this.closeProviders();
      this.leave();
      if (kind !== "preview" && !this.engineDied) this.record(kind, result, began);
    }
  }

  /** Adds a run to the history, and shows the stack's outputs to everybody outside if the run was complete. */
  private record(kind: string, result: "succeeded" | "failed", began: number): void {
    const { target, exclude, replace } = this.flags;
    const set = Object.entries({ target, exclude, replace }).filter(([, names]) => names !== undefined);
    const record = {
      kind,
      result,
      startTime: secondsOf(began),
      endTime: secondsOf(this.first.clock.now()),
      environment: {
        "pulumi.version": "3.0.0",
        ...Object.fromEntries(set.map(([name]) => [`pulumi.flag.${name}`, "set"])),
      },
    };
    this.history = [record, ...this.history];
    if (kind === "update" && result === "succeeded" && target === undefined && exclude === undefined) this.showKeys();
  }

  /** The stack's outputs show its current keys. */
  protected showKeys(): void {
    const shown = new Set(this.state.filter(({ doomed }) => !doomed).map(({ outputs }) => String(outputs.keyId)));
    for (const [id, { supersededAt }] of this.outside) {
      if (!shown.has(id) && supersededAt === undefined) this.outside.set(id, { supersededAt: this.declaredAt });
    }
    for (const id of shown) this.outside.set(id, {});
  }

  /** Starts the process for the provider's code, with this configuration. */
  protected enter(place: Place): void {
    this.leave();
    this.harness = this.harnessAt(place);
    this.killer = new Killer(this.harness.account);
  }

  protected harnessAt({ harness, apiKey }: Place): StackHarness {
    return harness.beside({ apiKey });
  }

  /** Ends that process. */
  protected leave(): void {
    this.killer.disarm();
    this.killer.kill();
    this.said.push(...Object.values(this.harness.told).flatMap((texts) => texts.splice(0)));
    const names = this.harness.names.splice(0);
    this.names.push(...names);
    for (const name of names) this.line.add(name);
  }

  /** Records that everything the program declares is deployed. */
  protected async declare(program: Program): Promise<void> {
    this.declared = program;
    this.declaredAt = this.first.clock.now();
    await this.note();
  }

  /** @param left - What stays of it in the state. */
  protected async delete(old: Stored, left: readonly Stored[] = []): Promise<void> {
    const { retainOnDelete, deletedWith } = old.options;
    const isDropped = retainOnDelete || (deletedWith && this.isDestroy);
    await this.note(old);
    const keys = await this.home.harness.plane.liveKeys();
    const live = new Set(keys.map(({ id }) => String(id)));
    const used = new Set(keys.filter(({ lastUsedAt }) => lastUsedAt !== null).map(({ id }) => String(id)));
    await this.step(async () => {
      const outcome = await this.outcome(async () => {
        if (!isDropped) await this.callDelete(old);
        return {};
      }, isDropped);
      const change = (): Stored => {
        this.state = this.state.filter((each) => each !== old);
        // A retained key whose successor names it in revokeNow is revoked with the successor.
        const isNamed = (id: string) => this.state.some(({ outputs }) => outputs.revokeNow === id);
        const held = new Set(this.state.flatMap(({ outputs }) => keysIn(outputs)));
        // What its successor has is still the stack's own.
        for (const id of isDropped ? keysIn(old.outputs).filter((each) => !held.has(each)) : []) {
          (retainOnDelete && !this.isUnproven(id) && !isNamed(id) ? this.released : this.dropped).add(id);
        }
        const isKept = old.outputs.revokeOnDelete === false;
        const isLeft = (id: string) => isKept && live.has(id) && !this.isRevokedAnyway(old, id);
        const stays = (id: string) => (retainOnDelete ? !isNamed(id) : isLeft(id));
        const others = new Set(this.state.flatMap(({ outputs }) => handedOutIn(outputs)));
        this.state = [...this.state, ...left];
        const staying = handedOutIn(old.outputs).filter((id) => this.handedOut.has(id) && !others.has(id));
        // Hazard: nobody can use a sealed key once, and if it is only from failed runs, nothing distinguishes it then from
        // what a crash has left. A warning asks the user to use it.
        for (const id of staying.filter(stays)) if (used.has(id) || !this.isUnproven(id)) this.kept.add(id);
        return old;
      };
      return { ...outcome, change };
    });
  }

  /** Whether a run that no ledger knows may have delivered a key, so that it is only reported. */
  mayHaveBeenDelivered(_key: LiveKey): boolean {
    return false;
  }

  /** Whether a run since a time may have delivered keys without a record, as the history shows. */
  protected mayHaveDeliveredSince(time: number): boolean {
    return readHistory(JSON.stringify(this.history)).some(
      ({ mayHaveDelivered, ended }) => mayHaveDelivered && ended >= time,
    );
  }

  /** Whether the deletion of a resource revokes a key of it, whatever `revokeOnDelete` says. */
  protected isRevokedAnyway(_old: Stored, _id: string): boolean {
    return false;
  }

  protected async readAll(): Promise<void> {
    let failed = false;
    const lies = await this.lies();
    for (const old of this.inOrder(this.state.filter((each) => this.isRead(each) && this.includes(each.name)))) {
      try {
        this.calls += 1;
        const found = await this.answered(() => this.callRead(old));
        // Hazard: nobody can try a sealed key, so it counts as gone if two lists lack it.
        const isLost = old.outputs.sealedKey !== undefined && (await this.lies()) - lies > 1;
        if (!isLost) await this.noteGone(old.outputs, found?.outputs);
        const isSame = found && isDeepStrictEqual(found.outputs, old.outputs);
        if (found) this.put(old, { ...found, notReady: false, ...(!isSame && { modified: await this.tick() }) });
        else this.state = this.state.filter((each) => each !== old);
      } catch (error) {
        if (error instanceof Crashed) throw error;
        this.said.push(String((error as Error).message));
        failed = true;
      }
    }
    await this.note();
    if (failed) throw new StepFailed();
  }

  /** How many lists have lacked a key. */
  async lies(): Promise<number> {
    const rules = await this.home.harness.plane.rules.list();
    return rules.reduce((sum, { lacks, struck }) => sum + (lacks === undefined ? 0 : struck), 0);
  }

  protected isRead({ doomed }: Stored): boolean {
    return !doomed;
  }

  /** Resources that do not depend on each other, in the order of this run. */
  protected inOrder(resources: readonly Stored[]): readonly Stored[] {
    return this.flags.reversed ? resources.toReversed() : resources;
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

  protected async deliver(consumer: string, keyId: string | undefined): Promise<void> {
    const old = this.recorded.get(consumer);
    if (old?.keyId === keyId) return;
    await this.step(async () => {
      if ((keyId !== undefined || this.isDestroy) && this.flags.failing?.includes(consumer)) {
        return { failure: `the consumer of ${consumer} fails`, change: () => undefined };
      }
      const now = await this.tick();
      if (keyId === undefined) this.consumers.delete(consumer);
      else this.consumers.set(consumer, keyId);
      const others = [...this.recorded].filter(([name]) => name !== consumer);
      const consumers = new Map(
        keyId === undefined ? others : [...others, [consumer, { keyId, created: old?.created ?? now, modified: now }]],
      );
      const change = () => {
        this.recorded = consumers;
      };
      return { result: { outputs: {}, notReady: false }, change };
    });
  }

  protected renameConsumer(from: string, to: string): void {
    const renamed = <T>(map: ReadonlyMap<string, T>): [string, T][] =>
      [...map].filter(([name]) => name !== to).map(([name, value]) => [name === from ? to : name, value]);
    if (!this.recorded.has(from)) return;
    this.recorded = new Map(renamed(this.recorded));
    const consumers = renamed(this.consumers);
    this.consumers.clear();
    for (const [name, id] of consumers) this.consumers.set(name, id);
  }

  /** Time passes with each write of the state. */
  protected async tick(): Promise<number> {
    await this.first.clock.pass(1);
    return this.first.clock.now();
  }

  /** Executes a step, which is killed at the point that the crash defines. */
  protected async step<T>(call: () => Promise<Outcome<T>>, creating?: Note): Promise<T> {
    this.steps += 1;
    this.before.push(this.saved());
    const crash = this.flags.crash?.step === this.steps ? this.flags.crash : undefined;
    const { when, victim } = { victim: "both", ...crash } as const satisfies Partial<Crash>;
    this.underWay = creating;
    if (when === "before") await this.strike(victim);
    if (this.engineDied) this.die();
    if (typeof when === "number") this.killer.arm(when, () => void this.strike(victim));
    const { change, result, failure } = await call();
    this.killer.disarm();
    // It is killed at the last of its moments if it has fewer.
    if (when === "unsaved" || typeof when === "number") await this.strike(victim);
    await this.ending;
    if (this.engineDied) this.die();
    this.underWay = undefined;
    if (failure !== undefined) this.said.push(failure);
    const fails = failure !== undefined;
    const now = await this.tick();
    const changed = fails && result === undefined ? undefined : change(result ?? { outputs: {}, notReady: false }, now);
    await this.note();
    if (when === "saved") await this.strike(victim);
    if (this.engineDied) this.die();
    if (fails) throw new StepFailed();
    return changed as T;
  }

  /** Kills processes. Only the first strike of a command counts. */
  private strike(victim: NonNullable<Crash["victim"]>): Promise<void> {
    if (this.engineDied || this.killer.isDead) return this.ending;
    if (victim !== "provider") this.engineDied = true;
    if (victim !== "engine") this.killer.kill();
    else this.ending = this.endWithoutEngine().finally(() => this.killer.kill());
    return this.ending;
  }

  private die(): never {
    if (this.underWay) this.notes = [...this.notes, this.underWay];
    this.underWay = undefined;
    throw new Crashed();
  }

  /** The answer to a call, if the provider lives to give it. */
  protected async answered<T>(call: () => Promise<T>): Promise<T> {
    const gone = () => new StepFailed("the provider is gone");
    if (this.killer.isDead) throw gone();
    const result = await call().catch((error: unknown) => {
      throw this.killer.isDead && !this.engineDied ? gone() : error;
    });
    if (this.killer.isDead && !this.engineDied) throw gone();
    return result;
  }

  protected async outcome(verb: () => Promise<Properties>, isLocal = false): Promise<Omit<Outcome<never>, "change">> {
    this.calls += 1;
    try {
      const outputs = await (isLocal ? verb() : this.answered(verb));
      return { result: { outputs, notReady: false } };
    } catch (error) {
      const reached = this.notReady(error);
      if (reached === undefined) return { failure: String((error as Error).message) };
      return { failure: reached.message, result: { outputs: reached.outputs, notReady: true }, id: reached.id };
    }
  }

  protected put(old: Stored | undefined, now: Stored): Stored {
    for (const id of keysIn(now.outputs)) {
      this.known.add(id);
      // What a state holds again is the stack's own again.
      this.released.delete(id);
    }
    this.state = [...this.state.filter((each) => each !== old), now];
    return now;
  }

  protected async note(deleting?: Stored): Promise<void> {
    const { declared } = this;
    const stays = ({ name }: Stored) => declared === undefined || name in declared;
    const held = this.state.filter(
      (each) => !each.doomed && !each.pendingReplacement && each !== deleting && stays(each),
    );
    // A consumer that the state does not have is not deleted, whatever becomes of its key.
    const consumers = [...this.consumers].filter(
      ([name]) => this.recorded.has(name) && (declared === undefined || declared[name]?.consumed),
    );
    const current = held.flatMap(({ outputs }) => (typeof outputs.keyId === "string" ? [outputs.keyId] : []));
    const named = new Set(held.flatMap(({ inputs, outputs }) => [outputs.compromised, inputs.revokeNow].flat()));
    const previous = held
      .filter(({ kind }) => kind === "RotatingApiKey")
      .flatMap(({ outputs }) => [outputs.previousKeyId, outputs.retired].flat())
      .filter((id) => id !== undefined && !named.has(id));
    this.holdings.push({
      since: await this.home.harness.plane.count(),
      owner: this.ownerId,
      state: new Set(current),
      previous: new Set(previous.map(String)),
      consumers: new Set(consumers.map(([, id]) => id)),
      known: new Set(this.known),
      released: new Set(this.released),
    });
  }

  /** A provider resource as the state has it. */
  protected providerResource(urn: string, inputs: Properties): StateResource {
    return bare(urn, "pulumi:providers:keyplane", inputs, urn);
  }
}

export interface Outcome<T> {
  /** The value to record; absent if there is nothing to record. */
  readonly result?: Result;
  readonly failure?: string;
  /** The id of a resource that is not ready, as the error has it. */
  readonly id?: string;
  readonly change: (result: Result, now: number) => T;
}

/** A time in whole seconds, as the history has it. */
function secondsOf(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString();
}
