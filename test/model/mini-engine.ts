import {
  type Context,
  check,
  diff,
  type Kind,
  kinds,
  NotReady,
  noteHolder,
  type Properties,
} from "../../provider/resources";
import { textsOf } from "../../provider/resources/key-fields";
import type { Bench } from "../unit/resources/harness";
import { Killer } from "./killer";

/** A key of a program. */
export interface DeclaredKey {
  readonly rotating: boolean;
  readonly consumed: boolean;
  /** Whether it is made only when nothing is under way in the project. */
  readonly waits?: boolean;
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

/** A resource as the state holds it. */
export interface Stored {
  readonly name: string;
  readonly kind: keyof typeof kinds;
  readonly id: string;
  readonly outputs: Properties;
  readonly notReady: boolean;
  /** Whether its replacement is there, and it waits for its deletion. */
  readonly doomed: boolean;
}

/** The process died. */
class Crashed extends Error {}

/** A step failed, and with it the run. */
class StepFailed extends Error {}

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
  /** Ids of keys that the program was given: not before they were ready. */
  private readonly handedOut = new Set<string>();
  /** Ids of live keys that a read has taken for gone. */
  readonly wronglyGone: string[] = [];
  /** How often this command has called the provider. */
  calls = 0;
  private bench: Bench;
  private killer: Killer;
  private crash: Crash | undefined;
  private steps = 0;
  /** What the program declares, once the run has got to its end; the rest is about to go. */
  private declared: Program | undefined;

  constructor(private readonly first: Bench) {
    this.bench = first;
    this.killer = new Killer(first.account);
  }

  /** Deploys a program; answers whether it got to its end. */
  up(program: Program, options: { readonly refresh?: boolean; readonly crash?: Crash | undefined } = {}) {
    return this.command(options.crash, async () => {
      if (options.refresh) await this.readAll();
      this.bench.context.run.hasProgram = true;
      const owner = await this.ensure("Owner", "keyplane", { project: "model", stack: "dev" });
      this.owners.add(owner.id);
      for (const [name, key] of Object.entries(program)) {
        const { outputs } = await this.ensure(key.rotating ? "RotatingApiKey" : "ApiKey", name, {
          ...key.inputs,
          owner: owner.outputs.identity,
        });
        this.handedOut.add(String(outputs.keyId));
        if (key.consumed) await this.deliver(name, String(outputs.keyId));
      }
      // What the program has no more goes after the ledger, and the ledger cannot tell such a key from an orphan if it
      // comes from a run that failed. Everything else has moved on by then.
      this.declared = program;
      await this.note();
      await this.ensure("Ledger", "keyplane", this.ledgerInputs(String(owner.outputs.identity), program));
      const wanted = new Set([...Object.keys(program), "keyplane"]);
      for (const consumer of [...this.consumers.keys()].filter((name) => !program[name]?.consumed)) {
        await this.deliver(consumer, undefined);
      }
      for (const old of this.state.filter((each) => each.doomed || !wanted.has(each.name))) await this.delete(old);
    });
  }

  /** Asks what an `up` would do; it saves nothing. */
  preview(program: Program): Promise<boolean> {
    return this.command(undefined, async () => {
      const owner = this.state.find(({ kind }) => kind === "Owner")?.outputs.identity ?? "unknown";
      for (const [name, key] of Object.entries(program)) {
        const kindName = key.rotating ? "RotatingApiKey" : "ApiKey";
        const { old, inputs, context } = this.checked(kindName, name, { ...key.inputs, owner });
        if (old) diff(kinds[kindName], old.outputs, inputs, termsOf(context));
      }
    });
  }

  /** Deletes once more what is deleted already, as an engine does that was killed before it could note it. */
  deleteAgain(gone: readonly Stored[]): Promise<boolean> {
    return this.command(undefined, async () => {
      for (const old of gone) await this.delete(old);
    });
  }

  /** Reads everything; answers whether all of it could be read. */
  refresh(crash?: Crash): Promise<boolean> {
    return this.command(crash, () => this.readAll());
  }

  /** Deletes everything; answers whether it got to its end. */
  destroy(crash?: Crash): Promise<boolean> {
    return this.command(crash, async () => {
      for (const ledger of this.state.filter(({ kind }) => kind === "Ledger")) await this.delete(ledger);
      for (const consumer of [...this.consumers.keys()]) await this.deliver(consumer, undefined);
      for (const key of this.state.filter(({ kind }) => kind !== "Owner")) await this.delete(key);
      for (const owner of this.state) await this.delete(owner);
    });
  }

  private async command(crash: Crash | undefined, body: () => Promise<void>): Promise<boolean> {
    this.bench = this.first.beside({});
    this.killer = new Killer(this.bench.account);
    this.crash = crash;
    this.steps = 0;
    this.calls = 0;
    this.declared = undefined;
    try {
      await body();
      return true;
    } catch (error) {
      if (error instanceof Crashed || error instanceof StepFailed) return false;
      throw error;
    } finally {
      this.killer.kill();
      this.said.push(...Object.values(this.bench.told).flat());
      this.names.push(...this.bench.names);
    }
  }

  private async ensure(kindName: keyof typeof kinds, name: string, news: Properties): Promise<Stored> {
    const kind: Kind = kinds[kindName];
    const { old, inputs, context } = this.checked(kindName, name, news);
    if (old === undefined) return this.create(kindName, name, inputs, context);
    noteHolder(kind, old.id, old.outputs, context);
    const difference = diff(kind, old.outputs, inputs, termsOf(context));
    if (difference.deleteBeforeReplace) {
      await this.deliver(name, undefined);
      await this.delete(old);
      return this.create(kindName, name, inputs, context);
    }
    if (difference.replaces.length > 0) return this.create(kindName, name, inputs, context, old);
    if (!difference.changes && !old.notReady) return old;
    return this.step(async () => {
      const outcome = await this.outcome(async () => {
        const outputs = await kind.update(old.id, old.outputs, inputs, context);
        noteHolder(kind, old.id, outputs, context);
        return outputs;
      });
      return { ...outcome, change: (result) => this.put(old, { ...old, ...result }) };
    });
  }

  private checked(kindName: keyof typeof kinds, name: string, news: Properties) {
    const context: Context = { ...this.bench.context, resourceName: name };
    const { inputs, failures } = check(kinds[kindName], news, context);
    if (failures.length > 0) throw new Error(`${name}: ${JSON.stringify(failures)}`);
    const old = this.state.find((each) => each.kind === kindName && each.name === name && !each.doomed);
    return { old, inputs, context };
  }

  private create(
    kindName: keyof typeof kinds,
    name: string,
    inputs: Properties,
    context: Context,
    old?: Stored,
  ): Promise<Stored> {
    return this.step(async () => {
      const made = { id: "" };
      const outcome = await this.outcome(async () => {
        const { id, outputs } = await kinds[kindName].create(inputs, context);
        noteHolder(kinds[kindName], id, outputs, context);
        made.id = id;
        return outputs;
      });
      const change = (result: Pick<Stored, "outputs" | "notReady">): Stored => {
        if (old) this.put(old, { ...old, doomed: true });
        const id = outcome.id ?? made.id;
        return this.put(undefined, { kind: kindName, name, id, doomed: false, ...result });
      };
      return { ...outcome, change };
    });
  }

  private async delete(old: Stored): Promise<void> {
    const context: Context = { ...this.bench.context, resourceName: old.name };
    await this.note(old);
    await this.step(async () => {
      const outcome = await this.outcome(async () => {
        await kinds[old.kind].delete(old.id, old.outputs, context);
        return {};
      });
      const change = (): Stored => {
        this.state = this.state.filter((each) => each !== old);
        const { keyId, previousKeyId, revokeOnDelete } = old.outputs;
        const staying = revokeOnDelete === false ? [keyId, previousKeyId].map(String) : [];
        for (const id of staying.filter((each) => this.handedOut.has(each))) this.kept.add(id);
        return old;
      };
      return { ...outcome, change };
    });
  }

  private async readAll(): Promise<void> {
    let failed = false;
    for (const old of this.state.filter(({ doomed }) => !doomed)) {
      const context: Context = { ...this.bench.context, resourceName: old.name };
      try {
        this.calls += 1;
        const outputs = await kinds[old.kind].read(old.id, old.outputs, context);
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
    const live = await this.first.plane.liveKeys();
    this.wronglyGone.push(...ids.filter((each) => live.some(({ id }) => String(id) === each)));
  }

  private async deliver(consumer: string, keyId: string | undefined): Promise<void> {
    if (this.consumers.get(consumer) === keyId) return;
    await this.step(async () => {
      if (keyId === undefined) this.consumers.delete(consumer);
      else this.consumers.set(consumer, keyId);
      return { change: () => undefined };
    });
  }

  /** Takes a step, killed where the crash says so. */
  private async step<T>(call: () => Promise<Outcome<T>>): Promise<T> {
    this.steps += 1;
    const crash = this.crash?.step === this.steps ? this.crash.when : undefined;
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
    const consumers = [...this.consumers]
      .filter(([name]) => declared === undefined || declared[name]?.consumed)
      .map(([, id]) => id);
    const ids = held.flatMap(({ outputs }) => (typeof outputs.keyId === "string" ? [outputs.keyId] : []));
    const since = await this.first.plane.count();
    const owner = this.state.find(({ kind }) => kind === "Owner")?.id;
    this.holdings.push({ since, owner, state: new Set(ids), consumers: new Set(consumers) });
  }

  private ledgerInputs(owner: string, program: Program): Properties {
    const keys = this.state.filter(({ name, doomed }) => name in program && !doomed).map(({ outputs }) => outputs);
    const doomedOf = ({ pendingRevocations, retired }: Properties) => [
      ...textsOf(pendingRevocations),
      ...textsOf(retired),
    ];
    const owned = keys.flatMap((outputs) => [
      ...[outputs.keyId, outputs.previousKeyId].filter((id) => id !== undefined).map(String),
      ...doomedOf(outputs),
    ]);
    const rotating = this.state.filter(({ kind, doomed }) => kind === "RotatingApiKey" && !doomed);
    return {
      owner,
      owned: [...new Set(owned)].sort(),
      lostNames: [...new Set(keys.flatMap(({ lostNames }) => textsOf(lostNames)))].sort(),
      pendingRevocations: [...new Set(rotating.flatMap(({ outputs }) => doomedOf(outputs)))].sort(),
    };
  }
}

/** What a diff is judged by in an `up`. */
function termsOf(context: Context) {
  return { now: context.now(), fingerprint: context.fingerprint(), driftOnly: false };
}

interface Outcome<T> {
  /** What is recorded; absent where there is nothing to record. */
  readonly result?: Pick<Stored, "outputs" | "notReady">;
  readonly failure?: string;
  /** The id of a resource that is not ready. */
  readonly id?: string;
  readonly change: (result: Pick<Stored, "outputs" | "notReady">) => T;
}
