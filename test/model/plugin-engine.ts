import { ownerIdIn } from "../../provider/keys/identity";
import { textsOf } from "../../provider/keys/key-fields";
import { isOfStack } from "../../provider/plugin/owner";
import { OWNER } from "../../provider/plugin/public-part";
import type { Named } from "../../provider/plugin/resources";
import { resourceTypes } from "../../provider/resources/registry";
import { changedNames } from "../../provider/schema/diff";
import type { NotReady, Properties } from "../../provider/schema/resource-type";
import { type Holding, keysOf } from "../../provider/session/run-keys";
import { fromState } from "../../provider/session/values";
import { VerbError } from "../../provider/session/verb";
import type { StackHarness } from "../unit/resources/harness";
import {
  type DeclaredKey,
  type Flags,
  MiniEngine,
  type Options,
  type Place,
  type Program,
  Refused,
  type Result,
  StepFailed,
  type Stored,
} from "./mini-engine";
import { PluginProcess } from "./plugin-process";

/** A provider resource in the state. */
interface Provider {
  readonly urn: string;
  readonly inputs: Properties;
}

/** A key after its registration: what is left to do, and how. */
type Perform = () => Promise<Stored>;

/** A stack of the plugin: with a provider resource, one process for each of them, and no program to ask. */
export class PluginEngine extends MiniEngine {
  stack = "dev";
  /** The version of the plugin, which the name of its default provider contains. */
  version = 1;
  /** Ids of keys that the engine removed or renamed without a call of the provider. */
  readonly forgotten = new Set<string>();
  /** Where in the log the calls began that made a new key, by the URNs of their resources. */
  readonly mints = new Map<string, number[]>();
  /** Ids of all keys that a saved state ever held. */
  readonly everHeld = new Set<string>();
  /** Ids of previous keys that an update was asked to retire in place. */
  readonly retiredInPlace = new Set<string>();
  /** Ids of keys of resources that a process was not shown when it deleted their predecessors, and them next. */
  readonly unshown = new Set<string>();
  /** Ids of the resources that a process was shown. */
  private readonly shown = new WeakMap<PluginProcess, Set<string>>();
  /** What the processes of this run share, by the URNs of providers and resources. */
  private readonly shared = new Map<string, Map<string, Holding>>();
  private providers: readonly Provider[] = [];
  /** Those that a destroy has removed. A repeated deletion still needs them. */
  private removed: readonly Provider[] = [];
  /** By the URN of the provider resource. */
  private readonly processes = new Map<string, PluginProcess>();

  constructor(private readonly first: StackHarness) {
    super(first);
  }

  override get ownerId(): string | undefined {
    const provider = this.providers.at(-1);
    return provider && ownerIdIn(provider.inputs[OWNER]);
  }

  /** Whether the next `up` mints an owner: the first one, and after an upgrade or a renaming of the stack. */
  get mintsOwner(): boolean {
    const olds = this.providers.find(({ urn }) => urn === this.providerUrn);
    return olds === undefined || !isOfStack(olds.inputs[OWNER], this.providerUrn);
  }

  private get providerUrn(): string {
    return `urn:pulumi:${this.stack}::model::pulumi:providers:keyplane::default_${this.version}`;
  }

  override up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command(flags, async () => {
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
      this.declared = program;
      await this.note();
      await this.deleteLeftovers(program);
      if (this.failures > 0) throw new StepFailed();
      const used = new Set(this.state.map((each) => each.provider));
      this.providers = this.providers.filter(({ urn }) => urn === provider || used.has(urn));
    });
  }

  override preview(program: Program): Promise<boolean> {
    return this.command({}, async () => {
      const process = this.processFor(this.checkedProvider(this.configured));
      for (const [name, key] of Object.entries(program)) {
        const old = this.findOld(name, key);
        const named = this.named(key, name);
        const { inputs } = await process.resources.check(named, old?.inputs ?? {}, key.inputs);
        if (old !== undefined) await process.resources.diff(named, old.id, old.outputs, inputs);
        process.resources.planned(named, inputs, old?.outputs);
      }
    });
  }

  override destroy(flags: Flags = {}): Promise<boolean> {
    return this.command(flags, async () => {
      this.isDestroy = true;
      for (const consumer of [...this.consumers.keys()]) await this.attempt(() => this.deliver(consumer, undefined));
      for (const key of this.inOrder(this.state)) {
        // Dependencies of a failed consumer stay, except those that were replaced.
        if (this.consumers.has(key.name) && !key.doomed) continue;
        if (key.options.protect && !key.doomed) this.fail(`${key.name} is protected`);
        else await this.attempt(() => this.delete(key));
      }
      if (this.failures > 0) throw new StepFailed();
      this.removed = this.providers;
      this.providers = [];
    });
  }

  /** A copy of the state in another stack, as by `stack export` and `import`. */
  copied(stack: string): PluginEngine {
    const copy = new PluginEngine(this.first);
    copy.stack = stack;
    copy.version = this.version;
    copy.home = this.home;
    copy.configured = this.configured;
    copy.state = this.state.map((each) => this.moved(each, stack));
    copy.providers = this.providers.map((each) => ({ ...each, urn: this.inStack(each.urn, stack) }));
    return copy;
  }

  /** Renames the stack. */
  renameStack(stack: string): void {
    this.state = this.state.map((each) => this.moved(each, stack));
    this.providers = this.providers.map((each) => ({ ...each, urn: this.inStack(each.urn, stack) }));
    this.stack = stack;
  }

  /** Removes a resource from the state, without a call of the provider. */
  forget({ id, name, kind }: Stored): void {
    // The state also loses what it says of the predecessors.
    const lost = this.state.filter((each) => each.name === name && each.kind === kind);
    this.state = this.state.filter((each) => each.id !== id);
    for (const { outputs } of lost) {
      for (const key of keysIn(outputs)) this.forgotten.add(key);
    }
  }

  urnOf(name: string, kind: Stored["kind"]): string {
    return `urn:pulumi:${this.stack}::model::keyplane:index:${kind}::${name}`;
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
    const confirmAccount = confirmed ? { confirmAccount: harness.beside({ apiKey }).context.fingerprint() } : {};
    const news = { baseUrl: harness.plane.url, apiKey, version: String(this.version), ...confirmAccount };
    const old = this.providers.find((each) => each.urn === urn);
    return { urn, inputs: PluginProcess.checkConfig(urn, old?.inputs ?? {}, news) };
  }

  private processFor({ urn, inputs }: Provider): PluginProcess {
    const { flags, shared } = this;
    const { apiKey } = inputs as { readonly apiKey: string };
    // With the environment, the user also confirms it for the provider of a former version.
    const confirmed = this.home.confirmed && {
      confirmAccount: this.home.harness.beside({ apiKey }).context.fingerprint(),
    };
    const command = {
      isReplacedByCommand: (each: string) => this.replacedByCommand.has(each),
      isLimited: () => flags.target !== undefined || flags.exclude !== undefined,
      continuesAfterErrors: () => flags.continueOnError === true,
    };
    const keys = {
      share: (each: string, holding: Holding) => {
        shared.set(urn, (shared.get(urn) ?? new Map()).set(each, holding));
      },
      ofOthers: (service: string, deleted: string) => {
        const others = [...shared].filter(([other]) => other !== urn).flatMap(([, held]) => [...held.values()]);
        return keysOf(others, service, deleted);
      },
    };
    return new PluginProcess(this.harness, { ...inputs, ...confirmed }, command, keys);
  }

  /** The process of a provider resource in this run. */
  private processOf(provider: string | undefined): PluginProcess {
    const found = [...this.providers, ...this.removed].find(({ urn }) => urn === provider);
    if (found === undefined) throw new Error(`the state has no provider ${provider}`);
    const process = this.processes.get(found.urn) ?? this.processFor(found);
    this.processes.set(found.urn, process);
    return process;
  }

  /** URNs of the resources that the command replaces. */
  private get replacedByCommand(): ReadonlySet<string> {
    const kinds = ["ApiKey", "RotatingApiKey"] as const;
    return new Set((this.flags.replace ?? []).flatMap((name) => kinds.map((kind) => this.urnOf(name, kind))));
  }

  protected override enter(place: Place): void {
    super.enter(place);
    this.processes.clear();
    this.shared.clear();
    this.state = this.state.map(({ calledAs, ...each }) => each);
  }

  protected override async callDelete(old: Stored): Promise<void> {
    const named = { type: resourceTypes[old.kind], urn: this.urnOf(old.calledAs ?? old.name, old.kind) };
    const process = this.processOf(old.provider);
    const successor = old.doomed ? this.state.find(({ name, doomed }) => name === old.name && !doomed) : undefined;
    const isLast = this.isDestroy || (this.declared !== undefined && !(old.name in this.declared));
    // Hazard: a successor by force under another name does not know its predecessor, and so a former provider not it.
    const isUnknown = successor?.outputs.predecessors === undefined;
    if (successor && (isLast || isUnknown) && !this.shown.get(process)?.has(successor.id)) {
      for (const id of keysIn(successor.outputs)) this.unshown.add(id);
    }
    this.show(process, old.id);
    await process.resources.delete(named, old.id, old.outputs);
  }

  protected override endsRetirement({ name, kind, outputs }: Stored): boolean {
    const successor = this.state.find((each) => each.name === name && each.kind === kind && !each.doomed);
    if (successor === undefined) return false;
    // In a destroy, the deletion of the successor revokes what is retired.
    if (this.isDestroy) return keysIn(outputs).some((id) => textsOf(successor.outputs.retiring).includes(id));
    const ids = [...keysIn(successor.outputs), ...textsOf(successor.outputs.retiring)];
    return keysIn(outputs).some((id) => ids.includes(id));
  }

  private show(process: PluginProcess, id: string): void {
    this.shown.set(process, (this.shown.get(process) ?? new Set()).add(id));
  }

  protected override async delete(old: Stored, left: readonly Stored[] = []): Promise<void> {
    // The engine only forgets it, because it has deleted it before.
    if (!old.pendingReplacement) return super.delete(old, left);
    this.state = this.state.filter((each) => each !== old);
    // Hazard: the deletion left the keys to a replacement that was to continue them, and the engine has forgotten it.
    if (old.kind !== "RotatingApiKey") return;
    for (const id of keysIn(old.outputs)) this.dropped.add(id);
  }

  protected override async callRead(old: Stored): Promise<Stored | undefined> {
    const process = this.processOf(old.provider);
    const { resources } = process;
    this.show(process, old.id);
    const named = { type: resourceTypes[old.kind], urn: this.urnOf(old.name, old.kind) };
    const { inputs = {}, ...others } = old;
    const found = await resources.read(named, old.id, inputs, old.outputs);
    if (found === undefined) return undefined;
    const outputs = plain(found.outputs);
    await resources.diff(named, found.id, outputs, inputs);
    return { ...others, inputs: found.inputs, outputs };
  }

  protected override isRead({ pendingReplacement }: Stored): boolean {
    return !pendingReplacement;
  }

  protected override notReady(error: unknown): Pick<NotReady, "id" | "outputs" | "reason"> | undefined {
    if (!(error instanceof VerbError) || error.notReady === undefined) return undefined;
    const { owner, ...outputs } = error.notReady.outputs;
    return {
      id: error.notReady.id,
      reason: error.message,
      outputs: plain({ ...outputs, ...(owner !== undefined && { [OWNER]: owner }) }),
    };
  }

  protected override put(old: Stored | undefined, now: Stored): Stored {
    for (const id of keysIn(now.outputs)) {
      this.everHeld.add(id);
      // A successor that continues a key also decides what becomes of it.
      this.kept.delete(id);
    }
    return super.put(old, now);
  }

  /** The program receives a key that is ready as soon as it is saved, even if the run ends right after that. */
  private received(now: Stored): Stored {
    if (!now.notReady) this.handedOut.add(String(now.outputs.keyId));
    return now;
  }

  /** Checks and compares a key, as the engine does one key after the other. */
  private async register(name: string, key: DeclaredKey, provider: string): Promise<Perform> {
    const kind = kindOf(key);
    const old = this.findOld(name, key);
    if (!this.includes(name)) return async () => this.leftOut(old, name);
    const { resources } = this.processOf(provider);
    const named = this.named(key, name);
    const options = key.options ?? {};
    const isForced = old !== undefined && this.flags.replace?.includes(name) === true;
    const check = async (olds: Properties): Promise<Properties> => {
      const { inputs, failures } = await resources.check(named, olds, key.inputs);
      if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
      return plain(inputs);
    };
    const inputs = await check(old === undefined || isForced ? {} : (old.inputs ?? {}));
    const next = { name, kind, inputs, options, provider, doomed: false };
    if (old === undefined) return () => this.create(named, next);
    if (!isForced && !changedTrigger(old.options, options)) this.show(this.processOf(provider), old.id);
    const isTriggered = changedTrigger(old.options, options);
    const difference =
      isForced || isTriggered ? FORCED : await this.compared(() => resources.diff(named, old.id, old.outputs, inputs));
    // Hazard: the plugin is not shown what it replaces, and so cannot use the keys of the former name.
    if ((isForced || isTriggered) && old.name !== name) for (const id of keysIn(old.outputs)) this.unshown.add(id);
    if (isForced || isTriggered || old.pendingReplacement || difference.replaces.length > 0) {
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

  /** An error of a diff ends the run. */
  private async compared<T>(diff: () => Promise<T>): Promise<T> {
    try {
      this.calls += 1;
      return await diff();
    } catch (error) {
      this.said.push((error as Error).message);
      throw new StepFailed();
    }
  }

  /** The engine only records the new name of a resource that the command leaves out. */
  private leftOut(old: Stored | undefined, name: string): Stored {
    if (old === undefined) throw new StepFailed();
    // Hazard: without a call, a new resource of the former name takes its unused key for an orphan.
    if (old.name !== name) for (const id of keysIn(old.outputs)) this.forgotten.add(id);
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
    const held = this.consumers.get(from);
    this.consumers.delete(from);
    if (held !== undefined) this.consumers.set(name, held);
    return now;
  }

  private async replace(
    named: Named,
    old: Stored,
    next: Omit<Stored, "id" | "outputs" | "notReady">,
    deletesFirst: boolean,
  ): Promise<Stored> {
    if (!deletesFirst) return this.create(named, next, old);
    if (old.pendingReplacement) return this.create(named, next, old);
    await this.deliver(old.name, undefined);
    // The engine keeps it until its replacement exists.
    const left = { ...old, pendingReplacement: true };
    await this.delete(old, [left]);
    return this.create(named, next, left);
  }

  private create(named: Named, next: Omit<Stored, "id" | "outputs" | "notReady">, old?: Stored): Promise<Stored> {
    // What `revokeNow` names is not to outlive its resource, even if it is deleted before its replacement.
    this.kept.delete(String(next.inputs?.revokeNow));
    return this.step(async () => {
      const made = { id: "" };
      const since = await this.home.harness.plane.count();
      const outcome = await this.outcome(async () => {
        const { resources } = this.processOf(next.provider);
        const { id, outputs } = await resources.create(named, plain(next.inputs ?? {}));
        this.show(this.processOf(next.provider), id);
        made.id = id;
        return plain(outputs);
      });
      const change = (result: Result): Stored => {
        this.noteMint(named.urn, since, old?.outputs, result.outputs);
        if (old) this.replaced.add(old.id);
        const before = old && this.renamed(old, next.name);
        // Hazard: the engine does not delete again what it deleted before its replacement, and a successor is not told.
        if (before?.pendingReplacement && next.kind === "RotatingApiKey") {
          for (const id of keysIn(before.outputs)) this.dropped.add(id);
          for (const id of keysIn(result.outputs)) this.dropped.delete(id);
        }
        if (before?.pendingReplacement) this.state = this.state.filter((each) => each !== before);
        else if (before) this.put(before, { ...before, doomed: true });
        return this.received(this.put(undefined, { ...next, id: outcome.id ?? made.id, ...result }));
      };
      return { ...outcome, change };
    });
  }

  private update(named: Named, old: Stored, next: Omit<Stored, "id" | "outputs" | "notReady">): Promise<Stored> {
    return this.step(async () => {
      const since = await this.home.harness.plane.count();
      const { previousKeyId, retired } = old.outputs;
      if (next.inputs?.retirement === "inPlace") {
        for (const id of [String(previousKeyId), ...textsOf(retired)]) this.retiredInPlace.add(id);
      }
      const outcome = await this.outcome(async () => {
        const { resources } = this.processOf(next.provider);
        return plain(await resources.update(named, old.id, old.outputs, plain(next.inputs ?? {})));
      });
      const change = (result: Result): Stored => {
        this.noteMint(named.urn, since, old.outputs, result.outputs);
        return this.received(this.put(this.renamed(old, next.name), { ...next, id: old.id, ...result }));
      };
      return { ...outcome, change };
    });
  }

  private noteMint(urn: string, since: number, before: Properties | undefined, after: Properties): void {
    if (before?.keyId === after.keyId || after.keyId === undefined) return;
    this.mints.set(urn, [...(this.mints.get(urn) ?? []), since]);
  }

  private named(key: DeclaredKey, name: string): Named {
    return { type: resourceTypes[kindOf(key)], urn: this.urnOf(name, kindOf(key)) };
  }

  private moved(each: Stored, stack: string): Stored {
    return { ...each, ...(each.provider && { provider: this.inStack(each.provider, stack) }) };
  }

  private inStack(urn: string, stack: string): string {
    return urn.replace(`urn:pulumi:${this.stack}::`, `urn:pulumi:${stack}::`);
  }
}

const FORCED = { changes: true, replaces: ["id"], deleteBeforeReplace: false };

function kindOf({ rotating }: DeclaredKey): "ApiKey" | "RotatingApiKey" {
  return rotating ? "RotatingApiKey" : "ApiKey";
}

/** Ids of the current and the previous key. */
function keysIn({ keyId, previousKeyId }: Properties): string[] {
  return [keyId, previousKeyId].filter((id) => id !== undefined).map(String);
}

/** Whether a changed trigger replaces a resource. Setting or removing one does not. */
function changedTrigger(before: Options, { replacementTrigger: after }: Options): boolean {
  return before.replacementTrigger !== undefined && after !== undefined && before.replacementTrigger !== after;
}

/** Values as they arrive through Pulumi's protocol, without those that are `null`. */
function plain(values: Properties): Properties {
  return fromState(JSON.parse(JSON.stringify(values)));
}
