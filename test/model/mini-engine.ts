import { noteHolder } from "../../provider/keys/holders";
import { textsOf } from "../../provider/keys/key-fields";
import { resourceTypes } from "../../provider/resources/registry";
import { check } from "../../provider/schema/check";
import { diff } from "../../provider/schema/diff";
import { type Context, NotReady, type Properties, type ResourceType } from "../../provider/schema/resource-type";
import { Settings } from "../../provider/settings/settings";
import type { StackHarness } from "../unit/resources/harness";
import { Killer } from "./killer";

/** Options of a resource, its own or inherited from a component: the engine alone acts on them. */
export interface Options {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  /** Goes with something else that only a destroy deletes. */
  readonly deletedWith?: boolean;
}

/** A key of a program. */
export interface DeclaredKey {
  readonly rotating: boolean;
  readonly consumed: boolean;
  /** Whether it is made only when nothing is under way in the project. */
  readonly waits?: boolean;
  /** Whether it begins with a key that was made by hand. */
  readonly adopts?: boolean;
  readonly options?: Options;
  readonly inputs: Properties;
}

/** What a program declares: keys by name. */
export type Program = Readonly<Record<string, DeclaredKey>>;

/** Where a command is killed: in which of its steps, and when in it. */
export interface Crash {
  readonly step: number;
  /** Before the call of the provider, so many moments into it, before its result is saved, or right after that. */
  readonly when: "before" | number | "unsaved" | "saved";
}

/** What an `up` is asked for beside its program. Names are those of keys. */
export interface Flags {
  readonly refresh?: boolean;
  readonly crash?: Crash | undefined;
  /** Whether the configuration leads to another account. */
  readonly away?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
  readonly targetDependents?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly replace?: readonly string[] | undefined;
  readonly continueOnError?: boolean | undefined;
  /** The keys whose consumers fail. */
  readonly failing?: readonly string[] | undefined;
}

/** The account that a configuration leads to, and the credential in it. */
export interface Place {
  readonly harness: StackHarness;
  readonly apiKey: string;
  /** Whether the user vouches for the account. */
  readonly confirmed?: boolean;
}

/** A resource as the state holds it. */
export interface Stored {
  readonly name: string;
  readonly kind: keyof typeof resourceTypes;
  readonly id: string;
  readonly outputs: Properties;
  readonly options: Options;
  readonly notReady: boolean;
  /** Whether its replacement is there, and it waits for its deletion. */
  readonly doomed: boolean;
}

/** The process died. */
class Crashed extends Error {}

/** A step failed, and with it the run. */
class StepFailed extends Error {}

/** The engine refuses to go on, whatever the flags. */
class Refused extends StepFailed {}

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false, reasons: [] };

/** What was held at a time; times are positions in the control plane's log. */
export interface Holding {
  readonly since: number;
  /** The id of the owner in the state: none before the first `up`, and none after a destroy. */
  readonly owner: string | undefined;
  /** Ids of keys that the state holds and that are neither replaced nor being deleted. */
  readonly state: ReadonlySet<string>;
  /** Ids of the keys that consumers have. */
  readonly consumers: ReadonlySet<string>;
}

/**
 * A stack, deployed by what is left of an engine without its processes: the order of its steps, its state, which is
 * saved after each, and consumers, which get a key right after it was saved.
 */
export class MiniEngine {
  state: readonly Stored[] = [];
  readonly consumers = new Map<string, string>();
  readonly holdings: Holding[] = [];
  /** Everything that was ever said, to a person or in an error. */
  readonly said: string[] = [];
  /** Every name that a creation was sent for. */
  readonly names: string[] = [];
  /** The id of every owner that there was. */
  readonly owners = new Set<string>();
  /** Ids of keys that are to outlive their resources, which are gone. */
  readonly kept = new Set<string>();
  /** Ids of keys that the engine has dropped from the state without a word to the provider. A destroy names them. */
  readonly dropped = new Set<string>();
  /** Ids of keys that the program was given: not before they were ready. */
  private readonly handedOut = new Set<string>();
  /** Ids of live keys that a read has taken for gone. */
  readonly wronglyGone: string[] = [];
  /** How often this command has called the provider. */
  calls = 0;
  /** Where the configuration leads by rights. An exchanged credential puts another one in its place. */
  home: Place;
  /** Another account, where nothing of the stack is. */
  away: Place | undefined;
  /** Where the last `up` was led: a command without a program takes the configuration from the state. */
  configured: Place;
  private harness: StackHarness;
  private killer: Killer;
  private flags: Flags = {};
  private isDestroy = false;
  private steps = 0;
  private failures = 0;
  /** Ids of the resources that this run has replaced. */
  private readonly replaced = new Set<string>();
  /** What the program declares, once the run has got to its end; the rest is about to go. */
  private declared: Program | undefined;

  constructor(first: StackHarness) {
    this.harness = first;
    this.home = { harness: first, apiKey: first.plane.apiKey };
    this.configured = this.home;
    this.killer = new Killer(first.account);
  }

  /** Whether the next command is led to the other account. A stack without an owner is at home anywhere. */
  isAway(flags?: Flags): boolean {
    const isAway = flags === undefined ? this.configured === this.away : flags.away === true && this.away !== undefined;
    return isAway && this.owner !== undefined;
  }

  /** Whose the keys are; none before the first `up`, and none after a destroy. */
  get owner(): Stored | undefined {
    return this.state.find(({ kind }) => kind === "Owner");
  }

  /** Deploys a program; answers whether it got to its end. */
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
      // What the program has no more goes after the ledger, and the ledger cannot tell such a key from an orphan if it
      // comes from a run that failed. Everything else has moved on by then.
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

  /** Deletes what the program has no more, and what was replaced. */
  private async deleteLeftovers(program: Program): Promise<void> {
    const isLeft = ({ name, doomed }: Stored) =>
      this.includes(name) && (doomed || !(name in program || name === "keyplane"));
    for (const name of [...this.consumers.keys()].filter((each) => !program[each]?.consumed)) {
      if (this.includesConsumer(name)) await this.attempt(() => this.deliver(name, undefined));
      // Its consumer would be deleted, too, and is no target.
      else if (this.includes(name) && !(name in program)) throw new Refused();
    }
    for (const old of this.state.filter(isLeft)) {
      // What a failed consumer depends on stays. A key that an earlier run has replaced is not taken for that.
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

  /** Answers nothing for a key that the run leaves out and that does not exist. */
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

  /** Goes on after a failure where the flags say so. */
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

  /** Asks what an `up` would do; it saves nothing. */
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

  /** Deletes once more what is deleted already, as an engine does that was killed before it could note it. */
  deleteAgain(gone: readonly Stored[]): Promise<boolean> {
    return this.command({}, async () => {
      this.isDestroy = true;
      for (const old of gone) await this.delete(old);
    });
  }

  /** Reads everything; answers whether all of it could be read. */
  refresh(crash?: Crash): Promise<boolean> {
    return this.command({ crash }, () => this.readAll());
  }

  /** Deletes everything; answers whether it got to its end. */
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

  /** Lifts the protection of everything in the state. */
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

  /** Starts the process that the provider's code runs in, with this configuration. */
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
    // The engine does not ask about what it is told to replace.
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
    const context: Context = { ...this.harness.context, resourceName: name };
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
    const context: Context = { ...this.harness.context, resourceName: old.name };
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
      const context: Context = { ...this.harness.context, resourceName: old.name };
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

  /** A revoked key never comes back: one that is live now was live when the read took it for gone. */
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

  /** Takes a step, killed where the crash says so. */
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
    // In such runs the engine itself deletes keys that are still held by consumers that failed, or that it has left out.
    if (deleting && (this.flags.target || this.flags.continueOnError)) {
      for (const id of [deleting.outputs.keyId, deleting.outputs.previousKeyId]) consumers.delete(String(id));
    }
    const ids = held.flatMap(({ outputs }) => (typeof outputs.keyId === "string" ? [outputs.keyId] : []));
    const since = await this.home.harness.plane.count();
    this.holdings.push({ since, owner: this.owner?.id, state: new Set(ids), consumers });
  }

  /** What the ledger is told of the keys of these names. */
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

/** What a diff is judged by in an `up`. */
function termsOf(context: Context) {
  return { now: context.now(), fingerprint: context.fingerprint, driftOnly: false };
}

interface Outcome<T> {
  /** What is recorded; absent where there is nothing to record. */
  readonly result?: Pick<Stored, "outputs" | "notReady">;
  readonly failure?: string;
  /** The id of a resource that is not ready. */
  readonly id?: string;
  readonly change: (result: Pick<Stored, "outputs" | "notReady">) => T;
}
