import { createHash } from "node:crypto";
import { resourceTypes } from "../../provider/dynamic/registry";
import { accountIn } from "../../provider/keys/account-fingerprint";
import { ownerIdIn } from "../../provider/keys/identity";
import { nonceFrom } from "../../provider/keys/names";
import { NONCE, OWNER } from "../../provider/plugin/engine-values";
import { isOfStack } from "../../provider/plugin/owner";
import type { Named } from "../../provider/plugin/resources";
import { changedNames } from "../../provider/schema/diff";
import type { Properties } from "../../provider/schema/outputs";
import type { NotReady } from "../../provider/schema/resource-type";
import { fromState } from "../../provider/session/values";
import { VerbError } from "../../provider/session/verb";
import type { StateResource } from "../../provider/stack/deployment";
import { MiniEngine, Refused, type Result, type Saved, StepFailed } from "./mini-engine";
import { PluginProcess } from "./plugin-process";
import { type DeclaredKey, type Flags, keysIn, type Options, type Place, type Program, type Stored } from "./state";

/** A provider resource in the state. */
interface Provider {
  readonly urn: string;
  readonly inputs: Properties;
}

/** A key after its registration: what is left to do, and how. */
type Perform = () => Promise<Stored>;

/** What a step records, without what only its end shows. */
type Next = Omit<Stored, "id" | "outputs" | "notReady" | "created" | "modified">;

/** A stack of the plugin: with a provider resource, one process for each of them, and no program to ask. */
export class PluginEngine extends MiniEngine {
  /** The version of the plugin, which the name of its default provider contains. */
  version = 1;
  /** Ids of compromised keys that an update was asked to revoke in place. */
  readonly revokedInPlace = new Set<string>();
  /** Ids of keys that a destroy revokes with a replaced resource, although its successor is to leave them live. */
  readonly keptTooLate = new Set<string>();
  private providers: readonly Provider[] = [];
  /** Those that a destroy has removed. A repeated deletion still needs them. */
  private removed: readonly Provider[] = [];
  /** By the URN of the provider resource. */
  private readonly processes = new Map<string, PluginProcess>();
  /** Ids of the keys that `revokeNow` named when the destroy began. */
  private namedAtStart: ReadonlySet<string> = new Set();
  /** Number of random seeds so far. */
  private seeds = 0;

  override get ownerId(): string | undefined {
    const provider = this.providers.at(-1);
    return provider && ownerIdIn(provider.inputs[OWNER]);
  }

  /** The first one does, and after an upgrade or a renaming of the stack. */
  override get mintsOwner(): boolean {
    const olds = this.providers.find(({ urn }) => urn === this.providerUrn);
    return olds === undefined || !isOfStack(olds.inputs[OWNER], this.providerUrn, this.renamedFrom);
  }

  private get providerUrn(): string {
    return `urn:pulumi:${this.stack}::model::pulumi:providers:keyplane::default_${this.version}`;
  }

  override urnOf(name: string, kind: Stored["kind"]): string {
    return `urn:pulumi:${this.stack}::model::${this.typeOf(kind)}::${name}`;
  }

  override typeOf(kind: Stored["kind"]): string {
    return `keyplane:index:${kind}`;
  }

  override isOnRecord(name: string): boolean {
    return this.notes.some(({ inputs }) => {
      const nonces = [0, 1, 2].map((attempt) => nonceFrom(String(inputs[NONCE]), attempt));
      return nonces.some((nonce) => name.endsWith(`-${nonce}`));
    });
  }

  protected override sibling(stack: string): PluginEngine {
    const sibling = new PluginEngine(this.first, stack);
    sibling.version = this.version;
    return sibling;
  }

  override up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command("update", flags, async () => {
      if (flags.refresh) await this.readAll();
      const place = this.isAway(flags) && this.away ? this.away : this.home;
      if (place !== this.configured) this.enter(place);
      const provider = await this.ensureProvider(place);
      const registered: (() => Promise<void>)[] = [];
      for (const [name, key] of Object.entries(program)) {
        const perform = await this.attempt(() => this.register(name, key, provider));
        if (perform === undefined) continue;
        registered.push(() => this.performOne(name, key, perform));
        if (!flags.together) await registered.pop()?.();
      }
      for (const each of registered) await each();
      await this.declare(program);
      await this.deleteLeftovers(program);
      if (this.failures > 0) throw new StepFailed();
      const used = new Set(this.state.map((each) => each.provider));
      this.providers = this.providers.filter(({ urn }) => urn === provider || used.has(urn));
    });
  }

  override preview(program: Program): Promise<boolean> {
    return this.command("preview", {}, async () => {
      const process = this.processFor(this.checkedProvider(this.configured));
      for (const [name, key] of Object.entries(program)) {
        const old = this.findOld(name, key);
        const named = { ...this.named(key, name), isPreview: true };
        const { inputs } = await process.resources.check(named, old?.inputs ?? {}, key.inputs, this.seed());
        if (old === undefined) await process.resources.create(named, inputs);
        else {
          await process.resources.diff(named, old.id, old.outputs, inputs);
          await process.resources.update(named, old.id, old.outputs, inputs);
        }
      }
    });
  }

  override destroy(flags: Flags = {}): Promise<boolean> {
    return this.command("destroy", flags, async () => {
      this.isDestroy = true;
      for (const { name, outputs } of this.state.filter(({ doomed }) => doomed)) {
        const successor = this.state.find((each) => each.name === name && !each.doomed);
        if (outputs.revokeOnDelete !== false && successor?.outputs.revokeOnDelete === false) {
          for (const id of keysIn(outputs)) this.keptTooLate.add(id);
        }
      }
      this.namedAtStart = new Set(this.state.map(({ outputs }) => String(outputs.revokeNow)));
      for (const consumer of [...this.recorded.keys()]) await this.attempt(() => this.deliver(consumer, undefined));
      for (const key of this.inOrder(this.state)) {
        // Dependencies of a failed consumer stay, except those that were replaced.
        if (this.recorded.has(key.name) && !key.doomed) continue;
        if (key.options.protect && !key.doomed) this.fail(`${key.name} is protected`);
        else await this.attempt(() => this.delete(key));
      }
      if (this.failures > 0) throw new StepFailed();
      this.removed = this.providers;
      this.providers = [];
      await this.note();
    });
  }

  override saved(): Saved & { readonly providers: readonly Provider[] } {
    return { ...super.saved(), providers: this.providers };
  }

  override restore(saved: Saved & { readonly providers?: readonly Provider[] }): void {
    super.restore(saved);
    this.providers = saved.providers ?? [];
    if (saved.stack !== this.stack) this.adopt(saved.stack);
  }

  override move(moved: Stored, to: MiniEngine): void {
    super.move(moved, to);
    if (to instanceof PluginEngine)
      to.takeProvider(
        this.providers.find(({ urn }) => urn === moved.provider),
        this.stack,
      );
  }

  /** Gets a copy of the provider of a resource that was moved here. */
  private takeProvider(provider: Provider | undefined, stack: string): void {
    if (provider === undefined) return;
    const urn = this.inStack(provider.urn, stack);
    if (this.providers.every((each) => each.urn !== urn)) this.providers = [...this.providers, { ...provider, urn }];
    this.state = this.state.map((each) => (each.provider === provider.urn ? { ...each, provider: urn } : each));
  }

  override renameStack(stack: string, keepsOwner: boolean): void {
    const before = this.stack;
    super.renameStack(stack, keepsOwner);
    this.adopt(before);
  }

  /** Makes the URNs of a state those of this stack. */
  private adopt(stack: string): void {
    this.state = this.state.map((each) => ({
      ...each,
      ...(each.provider && { provider: this.inStack(each.provider, stack) }),
    }));
    this.providers = this.providers.map((each) => ({ ...each, urn: this.inStack(each.urn, stack) }));
  }

  /** Performs what a registration asks for, and delivers the key to its consumer. */
  private async performOne(name: string, key: DeclaredKey, perform: Perform): Promise<void> {
    const held = await this.attempt(perform);
    if (held === undefined) return;
    const keyId = String(held.outputs.keyId);
    this.handedOut.add(keyId);
    if (key.consumed && this.includesConsumer(name)) await this.attempt(() => this.deliver(name, keyId));
  }

  /** Checks the provider resource, and saves it if it has changed. Returns its URN. */
  private async ensureProvider(place: Place): Promise<string> {
    const provider = this.checkedProvider(place);
    const old = this.providers.find(({ urn }) => urn === provider.urn);
    if (old === undefined || changedNames(old.inputs, provider.inputs).length > 0) {
      await this.step(async () => {
        return {
          change: () => {
            this.providers = [...this.providers.filter(({ urn }) => urn !== provider.urn), provider];
            this.configured = place;
            this.owners.add(ownerIdIn(provider.inputs[OWNER]));
          },
        };
      });
      this.processes.delete(provider.urn);
    }
    return provider.urn;
  }

  private checkedProvider({ harness, apiKey, confirmed }: Place): Provider {
    const urn = this.providerUrn;
    const news = {
      ...{ baseUrl: harness.plane.url, apiKey, version: String(this.version) },
      ...(confirmed && { confirmAccount: accountIn(harness.beside({ apiKey }).context.accountMark()) }),
      ...(this.renamedFrom.length > 0 && { renamedFrom: JSON.stringify(this.renamedFrom) }),
    };
    const old = this.providers.find((each) => each.urn === urn);
    return { urn, inputs: PluginProcess.checkConfig(urn, old?.inputs ?? {}, news) };
  }

  private processFor({ inputs }: Provider): PluginProcess {
    const { apiKey } = inputs as { readonly apiKey: string };
    // With the environment, the user also confirms it for the provider of a former version.
    const confirmed = this.home.confirmed && {
      confirmAccount: accountIn(this.home.harness.beside({ apiKey }).context.accountMark()),
    };
    // A destroy right after a renaming has the setting only with the environment.
    const renamed = this.renamedFrom.length > 0 && { renamedFrom: JSON.stringify(this.renamedFrom) };
    const engine = this;
    return new PluginProcess(
      this.harness,
      { ...inputs, ...confirmed, ...renamed },
      {
        get command() {
          return engine.engineCommand;
        },
        state: (stack) => this.exported(stack),
        history: (stack) => this.runs(stack),
      },
    );
  }

  /** The process of a provider resource in this run. */
  private processOf(provider: string | undefined): PluginProcess {
    const found = [...this.providers, ...this.removed].find(({ urn }) => urn === provider);
    if (found === undefined) throw new Error(`the state has no provider ${provider}`);
    const process = this.processes.get(found.urn) ?? this.processFor(found);
    this.processes.set(found.urn, process);
    return process;
  }

  protected override providerResources(): readonly StateResource[] {
    return this.providers.map(({ urn, inputs }) => this.providerResource(urn, inputs));
  }

  protected override async endWithoutEngine(): Promise<void> {
    await Promise.all([...this.processes.values()].map((process) => process.endWithoutEngine()));
  }

  protected override async closeProviders(): Promise<void> {
    for (const process of this.processes.values()) await process.close();
  }

  protected override enter(place: Place): void {
    super.enter(place);
    this.processes.clear();
    this.state = this.state.map(({ calledAs, ...each }) => each);
  }

  protected override async callDelete(old: Stored): Promise<void> {
    const named = { type: resourceTypes[old.kind], urn: this.urnOf(old.calledAs ?? old.name, old.kind) };
    await this.processOf(old.provider).resources.delete(named, old.id, old.outputs);
  }

  protected override isRevokedAnyway({ name, kind, outputs }: Stored, id: string): boolean {
    // In a destroy, the deletion of the successor revokes it, before or after this one.
    if (this.isDestroy && this.namedAtStart.has(id)) return true;
    const successor = this.state.find((each) => each.name === name && each.kind === kind && !each.doomed);
    if (successor === undefined) return false;
    const isCompromised = successor.outputs.revokeNow === id;
    return isCompromised || keysIn(outputs).some((each) => keysIn(successor.outputs).includes(each));
  }

  protected override async delete(old: Stored, left: readonly Stored[] = []): Promise<void> {
    // The engine only forgets it, because it has deleted it before.
    if (!old.pendingReplacement) return super.delete(old, left);
    this.state = this.state.filter((each) => each !== old);
    // The deletion left the keys to a replacement that was to continue them, and the engine has forgotten it.
    if (old.kind === "RotatingApiKey") this.release(old, this.state);
  }

  /** The keys of a resource leave the state without a deletion, but for those that the `revokeNow` of others names. */
  private release({ outputs }: Stored, others: readonly Pick<Stored, "inputs">[]): void {
    for (const id of keysIn(outputs)) if (!others.some(({ inputs }) => inputs.revokeNow === id)) this.released.add(id);
  }

  protected override async callRead(old: Stored): Promise<Stored | undefined> {
    const { resources } = this.processOf(old.provider);
    const named = { type: resourceTypes[old.kind], urn: this.urnOf(old.name, old.kind) };
    const found = await resources.read(named, old.id, old.inputs, old.outputs);
    if (found === undefined) return undefined;
    const outputs = plain(found.outputs);
    await resources.diff(named, found.id, outputs, old.inputs);
    return { ...old, inputs: found.inputs, outputs };
  }

  protected override isRead({ pendingReplacement }: Stored): boolean {
    return !pendingReplacement;
  }

  protected override notReady(error: unknown): Pick<NotReady, "id" | "outputs" | "message"> | undefined {
    if (!(error instanceof VerbError) || error.notReady === undefined) return undefined;
    const { owner, ...outputs } = error.notReady.outputs;
    return {
      id: error.notReady.id,
      message: error.message,
      outputs: plain({ ...outputs, ...(owner !== undefined && { [OWNER]: owner }) }),
    };
  }

  protected override put(old: Stored | undefined, now: Stored): Stored {
    // A successor that continues a key also decides what becomes of it.
    for (const id of keysIn(now.outputs)) this.kept.delete(id);
    return super.put(old, now);
  }

  /** The program receives a key that is ready as soon as it is saved, even if the run ends right after that. */
  private received(now: Stored): Stored {
    if (!now.notReady) this.handedOut.add(String(now.outputs.keyId));
    return now;
  }

  /** The random seed that the engine passes to a check. */
  private seed(): Uint8Array {
    this.seeds += 1;
    return createHash("sha256").update(`${this.first.plane.url} ${this.turns.length} ${this.seeds}`).digest();
  }

  /** Checks and compares a key, as the engine does one key after the other. */
  private async register(name: string, key: DeclaredKey, provider: string): Promise<Perform> {
    const kind = kindOf(key);
    const old = this.findOld(name, key);
    if (!this.includes(name)) return async () => this.leftOut(old, name);
    const { resources } = this.processOf(provider);
    const named = this.named(key, name);
    const options = key.options ?? {};
    const seed = this.seed();
    const check = async (olds: Properties): Promise<Properties> => {
      const { inputs, failures } = await this.answered(() => resources.check(named, olds, key.inputs, seed));
      if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
      return plain(inputs);
    };
    // The engine requests no diff for a forced replacement, and no check of the old inputs if the command asks for it.
    const isForced = old !== undefined && this.isForced(old, name);
    const isTriggered = old !== undefined && changedTrigger(old.options, options);
    const inputs = await check(old === undefined || isForced ? {} : old.inputs);
    const next = { name, kind, inputs, options, provider, doomed: false };
    if (old === undefined) return () => this.create(named, next);
    const difference =
      isForced || isTriggered ? FORCED : await this.compared(() => resources.diff(named, old.id, old.outputs, inputs));
    if (old.pendingReplacement || difference.replaces.length > 0) {
      if (options.protect && old.options.protect) {
        this.said.push(`${name} is protected`);
        throw new Refused();
      }
      const again = isForced ? inputs : await check({});
      const deletesFirst = options.deleteBeforeReplace ?? difference.deleteBeforeReplace;
      return () => this.replace(named, old, { ...next, inputs: again }, deletesFirst);
    }
    if (!difference.changes && !old.notReady) {
      return async () => this.put(this.renamed(old, name), { ...old, ...next });
    }
    return () => this.update(named, old, next);
  }

  /** Whether the user has the resource replaced, with `--replace` or `pulumi state taint`. */
  private isForced({ tainted }: Stored, name: string): boolean {
    return this.flags.replace?.includes(name) === true || tainted === true;
  }

  /** An error of a diff ends the run. */
  private async compared<T>(diff: () => Promise<T>): Promise<T> {
    try {
      this.calls += 1;
      return await this.answered(diff);
    } catch (error) {
      this.said.push((error as Error).message);
      throw new StepFailed();
    }
  }

  /** The engine only records the new name of a resource that the command leaves out. */
  private leftOut(old: Stored | undefined, name: string): Stored {
    if (old === undefined) throw new StepFailed();
    return this.renamed(old, name);
  }

  private findOld(name: string, key: DeclaredKey): Stored | undefined {
    const find = (wanted: string | undefined) =>
      this.state.find((each) => each.kind === kindOf(key) && each.name === wanted && !each.doomed);
    return find(name) ?? find(key.alias);
  }

  /** The engine deletes a resource that was replaced earlier under its former name, and from the next run on under the new one. */
  private renamed(old: Stored, name: string): Stored {
    const { name: from } = old;
    if (from === name) return old;
    let now = old;
    this.state = this.state.map((each) => {
      if (each.name !== from) return each;
      const moved = { ...each, name, calledAs: from };
      if (each === old) now = moved;
      return moved;
    });
    this.renameConsumer(from, name);
    return now;
  }

  private async replace(named: Named, old: Stored, next: Next, deletesFirst: boolean): Promise<Stored> {
    if (!deletesFirst) return this.create(named, next, old);
    if (old.pendingReplacement) return this.create(named, next, old);
    const { revokeNow } = next.inputs;
    // A resource that continues its state keeps its key for its consumers, for one run. The process that deletes it must
    // know: it must be that of its successor, and the engine compares no resource whose replacement the user forces.
    const isForced = this.isForced(old, next.name) || changedTrigger(old.options, next.options);
    const isContinued = old.provider === next.provider && !isForced;
    if (revokeNow === undefined) await this.deliver(old.name, undefined);
    else if (revokeNow !== old.outputs.keyId || !isContinued) this.revokedInPlace.add(String(revokeNow));
    // The engine keeps it until its replacement exists.
    const left = { ...old, pendingReplacement: true };
    await this.delete(old, [left]);
    return this.create(named, next, left);
  }

  private create(named: Named, next: Next, old?: Stored): Promise<Stored> {
    // What `revokeNow` names is not to outlive its resource, even if it is deleted before its replacement.
    this.kept.delete(String(next.inputs.revokeNow));
    return this.step(async () => {
      const made = { id: "" };
      const outcome = await this.outcome(async () => {
        const { resources } = this.processOf(next.provider);
        const { id, outputs } = await resources.create(named, next.inputs);
        made.id = id;
        return plain(outputs);
      });
      const change = (result: Result, now: number): Stored => {
        if (old) this.replaced.add(old.id);
        const before = old && this.renamed(old, next.name);
        // The engine does not delete again what it deleted before its replacement.
        if (before?.pendingReplacement && next.kind === "RotatingApiKey") this.release(before, [next]);
        if (before?.pendingReplacement) this.state = this.state.filter((each) => each !== before);
        else if (before) this.put(before, { ...before, doomed: true });
        const times = { created: now, modified: now };
        return this.received(this.put(undefined, { ...next, ...times, id: outcome.id ?? made.id, ...result }));
      };
      return { ...outcome, change };
    }, next);
  }

  private update(named: Named, old: Stored, next: Next): Promise<Stored> {
    return this.step(async () => {
      if (next.inputs.retirement === "inPlace") this.revokedInPlace.add(String(next.inputs.revokeNow));
      const outcome = await this.outcome(async () => {
        const { resources } = this.processOf(next.provider);
        return plain(await resources.update(named, old.id, old.outputs, next.inputs));
      });
      const change = (result: Result, now: number): Stored => {
        const times = { created: old.created, modified: result.notReady ? old.modified : now };
        return this.received(this.put(this.renamed(old, next.name), { ...next, ...times, id: old.id, ...result }));
      };
      return { ...outcome, change };
    });
  }

  private named(key: DeclaredKey, name: string): Named {
    return { type: resourceTypes[kindOf(key)], urn: this.urnOf(name, kindOf(key)) };
  }

  private inStack(urn: string, stack: string): string {
    return urn.replace(`urn:pulumi:${stack}::`, `urn:pulumi:${this.stack}::`);
  }
}

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false };

function kindOf({ rotating }: DeclaredKey): "ApiKey" | "RotatingApiKey" {
  return rotating ? "RotatingApiKey" : "ApiKey";
}

/** Whether a changed trigger replaces a resource. Setting or removing one does not. */
function changedTrigger(before: Options, { replacementTrigger: after }: Options): boolean {
  return before.replacementTrigger !== undefined && after !== undefined && before.replacementTrigger !== after;
}

/** Values as they arrive through Pulumi's protocol, without those that are `null`. */
function plain(values: Properties): Properties {
  return fromState(JSON.parse(JSON.stringify(values)));
}
