import { textsOf } from "../../provider/keys/key-fields";
import type { resourceTypes } from "../../provider/resources/registry";
import type { NotReady, Properties } from "../../provider/schema/resource-type";
import type { StackHarness } from "../unit/resources/harness";
import { Killer } from "./killer";

/** Options of a resource, its own or inherited from a component. Only the engine uses them. */
export interface Options {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  /** It is deleted together with another resource, which only a destroy deletes. */
  readonly deletedWith?: boolean;
  readonly deleteBeforeReplace?: boolean;
  /** A change replaces the resource without asking the provider, as `replaceWith` does. */
  readonly replacementTrigger?: number;
}

/** A key of a program. */
export interface DeclaredKey {
  readonly rotating: boolean;
  readonly consumed: boolean;
  /** Whether it is created only when no operation is under way in the project. */
  readonly waits?: boolean;
  /** Whether it adopts a key that was created by hand. */
  readonly adopts?: boolean;
  /** A former name. */
  readonly alias?: string | undefined;
  /** Which of its keys `revokeNow` names. */
  readonly revokes?: "current" | "previous" | undefined;
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
  /** Whether all keys are checked before the first of them is created. */
  readonly together?: boolean | undefined;
  /** Whether resources that do not depend on each other are read and deleted in the reverse order. */
  readonly reversed?: boolean | undefined;
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
  readonly inputs?: Properties;
  readonly outputs: Properties;
  readonly options: Options;
  readonly notReady: boolean;
  /** Whether it has been replaced and waits for its deletion. */
  readonly doomed: boolean;
  /** Whether it was deleted before its replacement, which does not exist yet. */
  readonly pendingReplacement?: boolean;
  /** The name under which this run still deletes a resource whose successor it has renamed. */
  readonly calledAs?: string;
  /** The URN of its provider, if it has one of its own. */
  readonly provider?: string;
}

/** The process died. */
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
  /** Ids of the keys that consumers have. */
  readonly consumers: ReadonlySet<string>;
}

/**
 * A stack, deployed by a minimal engine without processes. It has the order of the steps, the state, which is saved after
 * each step, and consumers, which receive a key right after it is saved. How it calls a provider is up to its subclasses.
 */
export abstract class MiniEngine {
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
  protected readonly handedOut = new Set<string>();
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
  protected harness: StackHarness;
  protected killer: Killer;
  protected flags: Flags = {};
  protected isDestroy = false;
  private steps = 0;
  protected failures = 0;
  /** Ids of the resources that this run has replaced. */
  protected readonly replaced = new Set<string>();
  /** What the program declares, once it has run to its end. Everything else is about to be deleted. */
  protected declared: Program | undefined;

  constructor(first: StackHarness) {
    this.harness = first;
    this.home = { harness: first, apiKey: first.plane.apiKey };
    this.configured = this.home;
    this.killer = new Killer(first.account);
  }

  /** Whether the next command uses the other account. A stack without an owner can use any account. */
  isAway(flags?: Flags): boolean {
    const isAway = flags === undefined ? this.configured === this.away : flags.away === true && this.away !== undefined;
    return isAway && this.ownerId !== undefined;
  }

  /** The id of the owner of new keys; absent before the first `up` and after a destroy. */
  abstract get ownerId(): string | undefined;

  /** Deploys a program. Returns whether the run was complete. */
  abstract up(program: Program, flags?: Flags): Promise<boolean>;

  /** Previews an `up`, and saves nothing. */
  abstract preview(program: Program): Promise<boolean>;

  /** Destroys everything. Returns whether the run was complete. */
  abstract destroy(flags?: Flags): Promise<boolean>;

  protected abstract callDelete(old: Stored): Promise<void>;

  /** What a refresh finds of a resource. */
  protected abstract callRead(old: Stored): Promise<Stored | undefined>;

  /** A resource that is recorded, though its call failed. */
  protected abstract notReady(error: unknown): Pick<NotReady, "id" | "outputs" | "reason"> | undefined;

  /** Deletes resources that left the program or were replaced. */
  protected async deleteLeftovers(program: Program): Promise<void> {
    const isLeft = ({ name, doomed }: Stored) =>
      this.includes(name) && (doomed || !(name in program || name === "keyplane"));
    for (const name of [...this.consumers.keys()].filter((each) => !program[each]?.consumed)) {
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
    return this.command({}, async () => {
      this.isDestroy = true;
      for (const old of gone) await this.delete(old);
    });
  }

  /** Refreshes everything. Returns whether all resources could be read. */
  refresh(flags: Flags = {}): Promise<boolean> {
    return this.command(flags, () => this.readAll());
  }

  /** Removes the protection of all resources in the state. */
  unprotect(): void {
    this.state = this.state.map((each) => ({ ...each, options: { ...each.options, protect: false } }));
  }

  protected async command(flags: Flags, body: () => Promise<void>): Promise<boolean> {
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
    this.killer.kill();
    this.said.push(...Object.values(this.harness.told).flatMap((texts) => texts.splice(0)));
    this.names.push(...this.harness.names.splice(0));
  }

  /** @param left - What stays of it in the state. */
  protected async delete(old: Stored, left: readonly Stored[] = []): Promise<void> {
    const { retainOnDelete, deletedWith } = old.options;
    const isDropped = retainOnDelete || (deletedWith && this.isDestroy);
    await this.note(old);
    await this.step(async () => {
      const outcome = await this.outcome(async () => {
        if (!isDropped) await this.callDelete(old);
        return {};
      });
      const change = (): Stored => {
        this.state = this.state.filter((each) => each !== old);
        const { keyId, previousKeyId, revokeOnDelete } = old.outputs;
        const retired = textsOf(old.outputs.retired);
        if (isDropped) for (const id of [keyId, previousKeyId, ...retired]) this.dropped.add(String(id));
        const stays = retainOnDelete || (revokeOnDelete === false && !this.endsRetirement(old));
        const others = new Set(this.state.flatMap(({ outputs }) => [outputs.keyId, outputs.previousKeyId]));
        this.state = [...this.state, ...left];
        const staying = stays ? [keyId, previousKeyId].filter((id) => !others.has(id)).map(String) : [];
        for (const id of staying.filter((each) => this.handedOut.has(each))) this.kept.add(id);
        return old;
      };
      return { ...outcome, change };
    });
  }

  /** Whether the deletion of a resource revokes its previous key, whatever `revokeOnDelete` says. */
  protected endsRetirement(_old: Stored): boolean {
    return false;
  }

  protected async readAll(): Promise<void> {
    let failed = false;
    for (const old of this.inOrder(this.state.filter((each) => this.isRead(each) && this.includes(each.name)))) {
      try {
        this.calls += 1;
        const found = await this.callRead(old);
        await this.noteGone(old.outputs, found?.outputs);
        if (this.killer.isDead) throw new Crashed();
        if (found) this.put(old, { ...found, notReady: false });
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
    if (this.consumers.get(consumer) === keyId) return;
    await this.step(async () => {
      if ((keyId !== undefined || this.isDestroy) && this.flags.failing?.includes(consumer)) {
        return { failure: `the consumer of ${consumer} fails`, change: () => undefined };
      }
      if (keyId === undefined) this.consumers.delete(consumer);
      else this.consumers.set(consumer, keyId);
      return { change: () => undefined };
    });
  }

  /** Executes a step, which is killed at the point that the crash defines. */
  protected async step<T>(call: () => Promise<Outcome<T>>): Promise<T> {
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

  protected async outcome(verb: () => Promise<Properties>): Promise<Omit<Outcome<never>, "change">> {
    this.calls += 1;
    try {
      return { result: { outputs: await verb(), notReady: false } };
    } catch (error) {
      const reached = this.notReady(error);
      if (reached === undefined) return { failure: String((error as Error).message) };
      return { failure: reached.reason, result: { outputs: reached.outputs, notReady: true }, id: reached.id };
    }
  }

  protected put(old: Stored | undefined, now: Stored): Stored {
    this.state = [...this.state.filter((each) => each !== old), now];
    return now;
  }

  protected async note(deleting?: Stored): Promise<void> {
    const { declared } = this;
    const stays = ({ name }: Stored) => declared === undefined || name in declared;
    const held = this.state.filter(
      (each) => !each.doomed && !each.pendingReplacement && each !== deleting && stays(each),
    );
    const consumers = new Set(
      [...this.consumers].filter(([name]) => declared === undefined || declared[name]?.consumed).map(([, id]) => id),
    );
    const ids = held.flatMap(({ outputs }) => (typeof outputs.keyId === "string" ? [outputs.keyId] : []));
    // In such runs the engine itself deletes keys of consumers that failed, or that it left out.
    if (deleting && (this.flags.target || this.flags.continueOnError)) {
      const own = [deleting.outputs.keyId, deleting.outputs.previousKeyId].map(String);
      for (const id of own.filter((each) => !ids.includes(each))) consumers.delete(id);
    }
    const since = await this.home.harness.plane.count();
    this.holdings.push({ since, owner: this.ownerId, state: new Set(ids), consumers });
  }
}

export interface Outcome<T> {
  /** The value to record; absent if there is nothing to record. */
  readonly result?: Result;
  readonly failure?: string;
  /** The id of a resource that is not ready, as the error has it. */
  readonly id?: string;
  readonly change: (result: Result) => T;
}
