import { type Deployment, readDeployment } from "../../provider/stack/deployment";
import { type Run, readHistory } from "../../provider/stack/history";
import type { StoryClock } from "./clock";
import {
  type Crash,
  Crashed,
  type Difference,
  type FrontEnd,
  type Kind,
  type Made,
  type Named,
  ProviderProcess,
  StepFailed,
  type Values,
} from "./provider-process";

/** A key of the program. */
export interface DeclaredKey {
  readonly kind: Kind;
  /** Whether a consumer gets the key. */
  readonly isConsumed: boolean;
  readonly inputs: Values;
}

export type Program = Readonly<Record<string, DeclaredKey>>;

/** How a command runs. */
export interface Flags {
  readonly crash?: Crash | undefined;
  /** Steps of resources that do not depend on each other run at the same time. */
  readonly together?: boolean | undefined;
  /** Whether it reads every resource first. */
  readonly refreshes?: boolean | undefined;
  /** Only this resource. */
  readonly target?: string | undefined;
  /** This resource is replaced without a reason. */
  readonly replace?: string | undefined;
  /** The consumer of this key fails. */
  readonly failing?: string | undefined;
}

/** A resource in the state. */
export interface Stored extends Named, Made {
  readonly name: string;
  readonly inputs: Values;
  /** Whether it was replaced, and is still to be deleted. */
  readonly isDoomed: boolean;
  readonly isTainted: boolean;
}

/** An operation that was begun and has not ended, as the state has it. */
export interface Note {
  readonly type: "creating" | "updating" | "deleting";
  readonly resource: Named & { readonly id?: string; readonly inputs: Values; readonly outputs?: Values };
}

/** What can be restored: a state between two commands, and its credential. `stack import` drops the notes. */
export interface Checkpoint {
  readonly state: readonly Stored[];
  readonly apiKey: string;
}

/** What a story sees of an engine. */
interface Audience {
  readonly clock: StoryClock;
  readonly baseUrl: string;
  say(text: string): void;
  /** Something has ended that the judge has to see before the next step. */
  saw(event: Event): void;
}

export type Event =
  /** The program, and so its users, have got a key. */
  | { readonly kind: "delivered"; readonly id: string }
  /** The engine deletes a resource with these keys. */
  | { readonly kind: "deleting"; readonly ids: readonly string[]; readonly revokes: boolean }
  | { readonly kind: "ended"; readonly isWhole: boolean; readonly succeeded: boolean };

const STACK = "dev";
const TOKENS: Readonly<Record<FrontEnd, string>> = {
  dynamic: "pulumi-nodejs:dynamic/keyplane:",
  plugin: "keyplane:index:",
};

/**
 * A stack, deployed by a minimal engine without processes. It does what the real one does with keys: it checks, compares,
 * saves a note before each step and the result after it, and answers questions about the state and the history.
 */
export class MiniEngine {
  state: readonly Stored[] = [];
  /** Notes of killed runs stay, if they are of creations. */
  notes: readonly Note[] = [];
  /** How often the state and the history were asked for. */
  asked = 0;
  /** Marks that nothing proves any more: the note is gone, or the resource. */
  readonly dropped = new Set<unknown>();
  private history: readonly object[] = [];
  private process: ProviderProcess | undefined;
  private flags: Flags = {};
  private seeds = 0;

  constructor(
    readonly frontEnd: FrontEnd,
    private readonly audience: Audience,
    /** The configured credential. */
    public apiKey: string,
  ) {}

  urnOf(name: string, kind: Kind): string {
    return `urn:pulumi:${STACK}::model::${TOKENS[this.frontEnd]}${kind}::${name}`;
  }

  find(name: string): Stored | undefined {
    return this.state.find((each) => each.name === name && !each.isDoomed);
  }

  /** Deploys a program. Returns whether it succeeded. */
  up(program: Program, flags: Flags = {}): Promise<boolean> {
    return this.command("update", flags, async () => {
      if (flags.refreshes) await this.readAll();
      const keys = Object.entries(program).filter(([name]) => [undefined, name].includes(flags.target));
      if (flags.together) {
        const steps: (() => Promise<void>)[] = [];
        for (const [name, key] of keys) steps.push(await this.register(name, key));
        const ended = await Promise.allSettled(steps.map((step) => step()));
        for (const each of ended) if (each.status === "rejected") throw each.reason;
      } else for (const [name, key] of keys) await (await this.register(name, key))();
      const isLeft = ({ name, isDoomed }: Stored) =>
        [undefined, name].includes(flags.target) && (isDoomed || !(name in program));
      for (const old of this.state.filter(isLeft).reverse()) await this.delete(old);
    });
  }

  /** Previews the program. Changes nothing. */
  async preview(program: Program): Promise<void> {
    const process = this.newProcess(undefined);
    for (const [name, { kind, inputs: news }] of Object.entries(program)) {
      const named = { urn: this.urnOf(name, kind), kind };
      const old = this.find(name);
      // The suffix of a new key is unknown in a preview of the dynamic provider. Nothing here depends on that.
      const inputs = await process.call((provider) => provider.check(named, old?.inputs ?? {}, news, "preview"));
      if (old !== undefined) await process.call((provider) => provider.diff(named, old.id, old.outputs, inputs));
    }
    process.close();
  }

  refresh(flags: Flags = {}): Promise<boolean> {
    return this.command("refresh", flags, () => this.readAll());
  }

  destroy(flags: Flags = {}): Promise<boolean> {
    return this.command("destroy", flags, async () => {
      for (const old of [...this.state].reverse()) await this.delete(old);
    });
  }

  taint(name: string): void {
    this.state = this.state.map((each) => (each.name === name ? { ...each, isTainted: true } : each));
  }

  restore({ state, apiKey }: Checkpoint): void {
    const kept = new Set(state.map(({ inputs }) => inputs.__suffix));
    for (const { inputs } of [...this.state, ...this.notes.map(({ resource }) => resource)]) {
      if (!kept.has(inputs.__suffix)) this.dropped.add(inputs.__suffix);
    }
    this.state = state;
    this.apiKey = apiKey;
    this.notes = [];
  }

  private async command(
    kind: "update" | "refresh" | "destroy",
    flags: Flags,
    body: () => Promise<void>,
  ): Promise<boolean> {
    const { clock } = this.audience;
    // The history and the service have whole seconds.
    await clock.pass(2_500);
    const began = clock.now();
    this.notes = this.notes.filter(({ type }) => type === "creating");
    this.flags = flags;
    this.process = this.newProcess(flags.crash);
    let result: "succeeded" | "failed" = "failed";
    try {
      await body();
      result = "succeeded";
    } catch (error) {
      if (error instanceof Crashed) return false;
      if (!(error instanceof StepFailed)) throw error;
      this.audience.say(error.message);
    } finally {
      this.process.close();
    }
    const limit = flags.target === undefined ? {} : { "pulumi.flag.target": "true" };
    const times = { startTime: seconds(began), endTime: seconds(clock.now()) };
    this.history = [{ kind, result, ...times, environment: { "pulumi.version": "v3", ...limit } }, ...this.history];
    const succeeded = result === "succeeded";
    const isWhole = kind === "update" && succeeded && flags.target === undefined;
    this.audience.saw({ kind: "ended", isWhole, succeeded: kind === "update" && succeeded });
    return succeeded;
  }

  private newProcess(crash: Crash | undefined): ProviderProcess {
    const { apiKey, frontEnd, audience } = this;
    const { baseUrl, clock } = audience;
    const say = (text: string) => audience.say(text);
    const pulumi = { state: async () => this.exported(), history: async () => this.runs() };
    return new ProviderProcess({ frontEnd, stack: STACK, baseUrl, apiKey, clock, pulumi, say }, crash);
  }

  /** Calls the provider. Whatever it throws fails the step. */
  private async call<T>(verb: Parameters<ProviderProcess["call"]>[0]): Promise<T> {
    try {
      return (await this.process?.call(verb)) as T;
    } catch (error) {
      if (error instanceof Crashed || error instanceof StepFailed) throw error;
      throw new StepFailed((error as Error).message);
    }
  }

  private async readAll(): Promise<void> {
    for (const old of this.state.filter(({ isDoomed }) => !isDoomed)) {
      const outputs = await this.call<Values | undefined>((provider) =>
        provider.read(old, old.id, old.inputs, old.outputs),
      );
      if (outputs === undefined || Object.keys(outputs).length === 0) this.put(old, undefined);
      else {
        this.put(old, { ...old, outputs });
        await this.call((provider) => provider.diff(old, old.id, outputs, old.inputs));
      }
    }
  }

  /** Checks and compares a resource. Returns what is left to do. */
  private async register(name: string, key: DeclaredKey): Promise<() => Promise<void>> {
    const { kind, inputs: news } = key;
    const named = { urn: this.urnOf(name, kind), kind };
    const old = this.find(name);
    const isForced = old !== undefined && (old.isTainted || this.flags.replace === name);
    const check = async (olds: Values) => {
      this.seeds += 1;
      return this.call<Values>((provider) => provider.check(named, olds, news, `seed${this.seeds}`));
    };
    const inputs = await check(old === undefined || isForced ? {} : old.inputs);
    const next = { ...named, name, inputs, isDoomed: false, isTainted: false };
    const deliver = (held: Stored) => this.deliver(held, key);
    if (old === undefined) return async () => deliver(await this.create(next));
    const diff = await this.call<Difference>((provider) => provider.diff(named, old.id, old.outputs, inputs));
    if (isForced || (diff.changes && diff.replaces)) {
      // The first check has kept the suffix of the old resource.
      const fresh = isForced ? next : { ...next, inputs: await check({}) };
      return async () => deliver(await this.create(fresh, this.find(name)));
    }
    if (!diff.changes && old.notReady === undefined) {
      return async () => {
        this.put(old, { ...old, inputs });
        deliver({ ...old, inputs });
      };
    }
    return async () => deliver(await this.update(old, next));
  }

  private async create(next: Omit<Stored, keyof Made>, old?: Stored): Promise<Stored> {
    const { urn, kind, inputs } = next;
    const made = await this.step({ type: "creating", resource: { urn, kind, inputs } }, () =>
      this.call<Made>((provider) => provider.create(next, inputs)),
    );
    const stored = { ...next, ...made };
    if (old !== undefined) this.put(old, { ...old, isDoomed: true, isTainted: false });
    this.state = [...this.state, stored];
    return this.ended(stored);
  }

  private async update(old: Stored, next: Omit<Stored, keyof Made>): Promise<Stored> {
    const { urn, kind, inputs } = next;
    const made = await this.step({ type: "updating", resource: { urn, kind, inputs } }, () =>
      this.call<Made>((provider) => provider.update(next, old.id, old.outputs, inputs)),
    );
    const stored = { ...next, ...made };
    this.put(old, stored);
    return this.ended(stored);
  }

  private async delete(old: Stored): Promise<void> {
    const { urn, kind, id, inputs, outputs } = old;
    this.audience.saw({ kind: "deleting", ids: idsIn(outputs), revokes: outputs.revokeOnDelete !== false });
    await this.step({ type: "deleting", resource: { urn, kind, id, inputs, outputs } }, () =>
      this.call((provider) => provider.delete(old, id, outputs)),
    );
    this.put(old, undefined);
    this.moment();
  }

  /** Saves that a step has begun, and that it has ended unless the engine dies. */
  private async step<T>(note: Note, body: () => Promise<T>): Promise<T> {
    this.notes = [...this.notes, note];
    this.moment();
    try {
      const answer = await body();
      this.moment();
      return answer;
    } finally {
      if (this.process?.isEngineDead !== true) {
        this.notes = this.notes.filter((each) => each !== note);
        if (this.process?.isDead && note.type === "creating") this.dropped.add(note.resource.inputs.__suffix);
      }
    }
  }

  /** Saves the result of a step. One that is not ready fails. */
  private ended(stored: Stored): Stored {
    this.moment();
    if (stored.notReady !== undefined) throw new StepFailed(stored.notReady);
    return stored;
  }

  /** The engine itself can be killed here. */
  private moment(): void {
    this.process?.reached();
    if (this.process?.isEngineDead) throw new Crashed();
  }

  private deliver({ name, outputs }: Stored, { isConsumed }: DeclaredKey): void {
    this.audience.saw({ kind: "delivered", id: String(outputs.keyId) });
    if (isConsumed && this.flags.failing === name) throw new StepFailed(`the consumer of ${name} failed`);
  }

  private put(old: Stored, now: Stored | undefined): void {
    this.state = this.state.flatMap((each) => (each === old ? (now ?? []) : each));
  }

  private exported(): Deployment {
    this.asked += 1;
    const provider = `urn:pulumi:${STACK}::model::pulumi:providers:model::default_1_0_0::provider-id`;
    const custom = ({ urn, kind, ...rest }: Note["resource"]) => ({
      ...{ urn, type: TOKENS[this.frontEnd] + kind, custom: true, provider },
      ...{ id: rest.id, inputs: rest.inputs, outputs: rest.outputs },
    });
    const resources = this.state.map((each) => ({ ...custom(each), delete: each.isDoomed }));
    const [urn] = provider.split("::provider-id");
    const own = { urn, type: "pulumi:providers:model", custom: true, id: "provider-id" };
    const pending = this.notes.map(({ type, resource }) => ({ type, resource: custom(resource) }));
    return readDeployment(
      JSON.stringify({ version: 3, deployment: { resources: [own, ...resources], pending_operations: pending } }),
    );
  }

  private runs(): readonly Run[] {
    this.asked += 1;
    return readHistory(JSON.stringify(this.history.slice(0, 100)));
  }
}

/** The ids of the keys in a resource's outputs. */
export function idsIn({ keyId, previousKeyId, pendingRevocations }: Values): string[] {
  return [keyId, previousKeyId, pendingRevocations].flat().filter((id): id is string => typeof id === "string");
}

function seconds(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString();
}
