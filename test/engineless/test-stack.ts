import { afterEach } from "vitest";
import type { Members } from "../../provider/members";
import type { Severity } from "../../provider/session/engine-link";
import { type Deployment, readDeployment } from "../../provider/stack/deployment";
import { type Run, readHistory } from "../../provider/stack/history";
import { PulumiError } from "../../provider/stack/pulumi";
import { type ControlPlane, type LogEntry, startControlPlane } from "../../testing/control-plane";
import { SECOND } from "../times";
import { DYNAMIC, PLUGIN, provider, providerUrn, saved, urnOf } from "../unit/stack/saved-stack";
import { LinkedClock } from "./linked-clock";
import {
  type Crash,
  Crashed,
  type Difference,
  type FrontEnd,
  type Kind,
  type Made,
  type ProcessSession,
  ProviderProcess,
  StepFailed,
} from "./provider-process";

/** A resource of a program. */
export interface Declared {
  readonly kind: Kind;
  readonly inputs: Members;
}

/** The resources of a program by their names. */
export type Program = Readonly<Record<string, Declared>>;

export const key = (inputs: Members = {}): Declared => ({ kind: "ApiKey", inputs });
export const rotating = (inputs: Members = {}): Declared => ({ kind: "RotatingApiKey", inputs });
export const projectReady = (inputs: Members = {}): Declared => ({ kind: "ProjectReady", inputs });

/** A resource in the state. */
export interface Saved extends Made {
  readonly kind: Kind;
  readonly name: string;
  readonly inputs: Members;
  readonly provider?: string;
  /** It was replaced, and is left to be deleted. */
  readonly replaced?: boolean;
  /** The next run replaces it. */
  readonly tainted?: boolean;
  /** Pulumi drops it without deleting it. */
  readonly retained?: boolean;
}

/** An operation that was begun and has not ended, as the state has it. */
export interface PendingOperation {
  readonly type: string;
  readonly resource: Members & { readonly inputs: Members };
}

/** What a run did, and what it showed. */
export interface Outcome {
  /** Whether it did all that it had to do. */
  succeeded: boolean;
  /** What it did with each resource: create, update, replace, delete, same; in a refresh same, gone, drift. */
  readonly steps: Record<string, string>;
  /** The errors by the names of resources. A resource that is not ready has one, too. */
  readonly errors: Record<string, string>;
  readonly info: string[];
  readonly warn: string[];
  readonly progress: string[];
  /** What was sent to the service, as `POST /api_keys`. */
  requests: string[];
  /** How often the Pulumi CLI was asked for the state and for the history. */
  exports: number;
  histories: number;
}

/** The code of a resource's error. */
export const codeOf = ({ errors }: Outcome, name = "ci"): string | undefined =>
  /\[(KP-[A-Z-]+)\]$/.exec(errors[name] ?? "")?.[1];

/** How a run goes. */
export interface Flags {
  /** The moment of the run at which it is killed. */
  readonly crash?: Crash | undefined;
  /** The resource in whose step the engine is killed: the service has done it, and nothing of it is saved. */
  readonly dies?: string;
  /** Steps of resources that do not depend on each other run one after another. Then the first error ends the run. */
  readonly oneByOne?: boolean | undefined;
  /** Whether it reads every resource first. */
  readonly refreshes?: boolean | undefined;
  /** Only this resource. */
  readonly target?: string | undefined;
  /** This resource is replaced without a reason. */
  readonly replace?: string | undefined;
  /** The consumer of this resource fails. */
  readonly failing?: string | undefined;
  /** When the provider was started. @default when the run begins */
  readonly startedAt?: number;
  /** When the run began, as the history says. @default when it begins */
  readonly beganAt?: number;
}

/** What a story sees of a stack. */
export type Event =
  /** The program, and so its users, have got a key. */
  | { readonly kind: "delivered"; readonly id: string }
  /** The engine deletes a resource with these keys. */
  | { readonly kind: "deleting"; readonly ids: readonly string[]; readonly revokes: boolean }
  | { readonly kind: "ended"; readonly isWhole: boolean; readonly succeeded: boolean }
  | { readonly kind: "said"; readonly text: string };

interface Options {
  readonly frontEnd?: FrontEnd;
  readonly settings?: Readonly<Record<string, string>>;
  readonly requestTimeoutMs?: number;
  readonly saw?: (event: Event) => void;
}

const open: ControlPlane[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
  // The own property that a run has set hides that of the process.
  Reflect.deleteProperty(performance, "timeOrigin");
});

/**
 * A stack with an engine as small as a test needs, without processes, and a real service. The engine does
 * what the real one does with keys: it checks, compares, saves a pending operation before each step and the result after it, and
 * answers for the state and the history.
 */
export class TestStack {
  resources: readonly Saved[] = [];
  /** Resources of others in the state. */
  more: readonly object[] = [];
  /** Operations that were begun. Of killed runs, creations stay. */
  pending: readonly PendingOperation[] = [];
  /** Suffixes that nothing proves any more: the pending operation is gone, or the resource. */
  readonly dropped = new Set<string>();
  /** The ended runs, newest first; `undefined` if they cannot be read. */
  history: readonly object[] | undefined = [];
  /** Whose state the Pulumi CLI answers with; `undefined` if it fails. */
  answersWith: "this stack" | "another stack" | undefined = "this stack";
  /** The name of the stack in its state. The outputs of resources have the one of their last update. */
  stackName = "dev";
  /** A service that shows the changes of a run at once, or only at its end. @default files */
  service: "live" | "late" | undefined;
  settings: Record<string, string>;
  /** How often the Pulumi CLI was asked. */
  asked = 0;
  readonly frontEnd: FrontEnd;
  readonly #requestTimeoutMs: number;
  readonly #saw: (event: Event) => void;
  /** The state as the last run began, and when that was. */
  #savedBefore: object = {};
  #began = 0;
  #process: ProviderProcess | undefined;
  #outcome: Outcome = nothing();
  #flags: Flags = {};
  #seeds = 0;

  constructor(
    readonly plane: ControlPlane,
    readonly clock: LinkedClock,
    { frontEnd = "core", settings, requestTimeoutMs = 250, saw = () => {} }: Options = {},
  ) {
    this.frontEnd = frontEnd;
    this.settings = { baseUrl: plane.url, apiKey: plane.apiKey, ...settings };
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#saw = saw;
  }

  /** A stack with its own control plane. */
  static async start(settings: Record<string, string> = {}): Promise<TestStack> {
    const plane = await startControlPlane({ clock: { mode: "driven" } });
    open.push(plane);
    return new TestStack(plane, new LinkedClock(plane, (await plane.clock.read()).timeline), { settings });
  }

  /** Another stack of the same account, or with another credential. */
  beside(settings: Record<string, string> = {}): TestStack {
    return new TestStack(this.plane, this.clock, { settings });
  }

  /** Another service, with the same time. Returns its address and its credential. */
  async elsewhere(): Promise<ControlPlane> {
    const plane = await startControlPlane({ clock: { mode: "driven" } });
    open.push(plane);
    await plane.clock.advance(Math.max(0, this.clock.now() - (await plane.clock.read()).timeline));
    this.clock.planes.push(plane);
    return plane;
  }

  /** The state as it is saved now. */
  get deployment(): object {
    const resources = [provider(), ...this.more, ...this.resources.map((each) => this.#written(each))];
    return {
      version: 3,
      deployment: { resources, pending_operations: this.answersWith === "another stack" ? [] : this.pending },
    };
  }

  /** The outputs of a resource. */
  outputs(name = "ci"): Members {
    return this.find(name)?.outputs ?? {};
  }

  find(name: string): Saved | undefined {
    return this.resources.find((each) => each.name === name && !each.replaced);
  }

  /** The ids of all live keys except the admin's, oldest first. */
  async live(): Promise<string[]> {
    return (await this.plane.liveKeys()).map(({ id }) => String(id)).sort((a, b) => Number(a) - Number(b));
  }

  /** What the service answers to a list now. */
  async listed(): Promise<object[]> {
    const headers = { authorization: `Bearer ${this.plane.apiKey}` };
    return (await (await fetch(`${this.plane.url}/api_keys`, { headers })).json()) as object[];
  }

  /** The names of the live keys, oldest first. */
  async liveNames(): Promise<string[]> {
    return (await this.plane.liveKeys()).sort((a, b) => a.id - b.id).map(({ name }) => name);
  }

  /** The requests since another one, without those that were only carried out late. */
  async requests(since = 0): Promise<string[]> {
    return (await this.plane.log({ since })).filter(({ lateOf }) => lateOf === null).map(routeOf);
  }

  /** A `pulumi up` of a program, in a process of its own, later than all before. */
  up(program: Program, flags: Flags = {}): Promise<Outcome> {
    return this.#run("update", flags, async () => {
      if (flags.refreshes) await this.#readAll();
      const isMeant = (name: string) => flags.target === undefined || name === flags.target;
      const named = Object.entries(program).filter(([name]) => isMeant(name));
      await this.#each(named.map(([name, declared]) => [name, () => this.#deploy(name, declared)]));
      const isLeft = ({ name, kind, replaced }: Saved) => isMeant(name) && (replaced || program[name]?.kind !== kind);
      await this.#deleteAll(this.resources.filter(isLeft));
    });
  }

  /** What an `up` would do, without a request. */
  preview(program: Program): Promise<Outcome> {
    return this.#run(undefined, {}, () =>
      this.#each(
        Object.entries(program).map(([name, declared]) => {
          const plan = async () => {
            this.#outcome.steps[name] = (await this.#plan(name, declared)).step;
          };
          return [name, plan];
        }),
      ),
    );
  }

  refresh(flags: Flags = {}): Promise<Outcome> {
    return this.#run("refresh", flags, () => this.#readAll());
  }

  destroy(flags: Flags = {}): Promise<Outcome> {
    return this.#run("destroy", flags, () => this.#deleteAll(this.resources));
  }

  /** The session of a process of the provider that starts now. */
  newSession(): ProcessSession {
    return this.#start({}).session;
  }

  #start({ crash, startedAt = this.clock.now() }: Flags): ProviderProcess {
    const { frontEnd, clock, settings, service } = this;
    const pulumi = { state: async () => this.#state(), history: async () => this.#history() };
    const fullName = service === undefined ? undefined : "acme/app/dev";
    const log = (severity: Severity, text: string) => {
      this.#outcome[severity === "warning" ? "warn" : severity].push(text);
      this.#saw({ kind: "said", text });
    };
    const requestTimeoutMs = this.#requestTimeoutMs;
    const given = { frontEnd, clock, settings, startedAt, requestTimeoutMs, pulumi, fullName, log };
    return new ProviderProcess(given, crash);
  }

  /** Runs something in a process of its own, and counts what it requests. */
  async #run(
    kind: "update" | "refresh" | "destroy" | undefined,
    flags: Flags,
    body: () => Promise<void>,
  ): Promise<Outcome> {
    await this.clock.pass(SECOND);
    const since = (await this.plane.log()).at(-1)?.seq ?? 0;
    this.#savedBefore = this.deployment;
    this.#began = flags.beganAt ?? this.clock.now();
    this.#flags = flags;
    const outcome = nothing();
    this.#outcome = outcome;
    this.#process = this.#start(flags);
    let isKilled = false;
    try {
      await body();
      outcome.succeeded = Object.keys(outcome.errors).length === 0;
    } catch (error) {
      isKilled = error instanceof Crashed;
      if (!isKilled && !(error instanceof StepFailed)) throw error;
    } finally {
      this.#process.close();
    }
    for (const text of Object.values(outcome.errors)) this.#saw({ kind: "said", text });
    outcome.requests = await this.requests(since);
    this.pending = this.pending.filter(({ type }) => type === "creating");
    if (kind !== undefined && !isKilled) await this.#end(kind, outcome);
    return outcome;
  }

  /** Writes the run into the history. */
  async #end(kind: "update" | "refresh" | "destroy", { succeeded }: Outcome): Promise<void> {
    const { target } = this.#flags;
    await this.clock.pass(SECOND);
    const environment = { "pulumi.version": "v3.260.0", ...(target !== undefined && { "pulumi.flag.target": "true" }) };
    const times = { startTime: seconds(this.#began), endTime: seconds(this.clock.now()) };
    const run = { kind, result: succeeded ? "succeeded" : "failed", ...times, environment };
    this.history = this.history && [run, ...this.history];
    const isUpdate = kind === "update" && succeeded;
    this.#saw({ kind: "ended", isWhole: isUpdate && target === undefined, succeeded: isUpdate });
  }

  #state(): Deployment {
    this.asked++;
    this.#outcome.exports++;
    if (this.answersWith === undefined)
      throw new PulumiError("`pulumi stack export` failed with exit code 1", "failed");
    const text = JSON.stringify(this.service === "late" ? this.#savedBefore : this.deployment);
    return readDeployment(text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${this.stackName}::`));
  }

  #history(): readonly Run[] {
    this.asked++;
    this.#outcome.histories++;
    if (this.history === undefined) throw new PulumiError("`pulumi stack history` failed with exit code 1", "failed");
    const now = { kind: "update", result: "in-progress", startTime: seconds(this.#began) };
    return readHistory(JSON.stringify([...(this.service === undefined ? [] : [now]), ...this.history].slice(0, 100)));
  }

  /** Does work of resources that do not depend on each other. */
  async #each(work: readonly Work[]): Promise<void> {
    if (this.#flags.oneByOne) {
      for (const [name, body] of work) await this.#attempt(name, body);
      return;
    }
    const ended = await Promise.allSettled(work.map(([name, body]) => this.#attempt(name, body)));
    const reasons = ended.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    const reason = reasons.find((each) => each instanceof Crashed) ?? reasons[0];
    if (reason !== undefined) throw reason;
  }

  /** Does the work of a resource. Whatever is thrown fails the run. */
  async #attempt(name: string, body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      if (error instanceof Crashed) throw error;
      this.#outcome.errors[name] = (error as Error).message;
      throw new StepFailed((error as Error).message);
    }
  }

  #call<T>(verb: Parameters<ProviderProcess["call"]>[0]): Promise<T> {
    if (this.#process === undefined) throw new Error("no run is under way");
    return this.#process.call(verb) as Promise<T>;
  }

  #readAll(): Promise<void> {
    const existing = this.resources.filter(({ replaced }) => !replaced);
    return this.#each(existing.map((before) => [before.name, () => this.#read(before)]));
  }

  async #read(before: Saved): Promise<void> {
    const { id, inputs, outputs } = before;
    const of = this.#named(before);
    const found = await this.#call<Members | undefined>((to) => to.read(of, id, inputs, outputs));
    this.#replace(before, found && { ...before, outputs: found });
    const isDrift = found && (await this.#call<{ changes: boolean }>((to) => to.diff(of, id, found, inputs))).changes;
    this.#outcome.steps[before.name] = found === undefined ? "gone" : isDrift ? "drift" : "same";
  }

  /** Plans a step: the checked inputs, and what is to be done. */
  async #plan(name: string, { kind, inputs: news }: Declared) {
    const before = this.find(name);
    const of = this.#named({ kind, name });
    const checked = (olds: Members) => {
      this.#seeds += 1;
      return this.#call<Members>((to) => to.check(of, olds, news, `seed${this.#seeds}`));
    };
    const isForced = before !== undefined && (before.tainted === true || this.#flags.replace === name);
    const inputs = await checked(before === undefined || isForced ? {} : before.inputs);
    if (before === undefined) return { step: "create", inputs } as const;
    const { id, outputs, notReady } = before;
    const { changes, replaces } = await this.#call<Difference>((to) => to.diff(of, id, outputs, inputs));
    if (isForced) return { step: "replace", inputs, before } as const;
    if (!changes && notReady === undefined) return { step: "same", inputs, before } as const;
    if (!replaces) return { step: "update", inputs, before } as const;
    // The first check has kept the suffix of the old resource.
    return { step: "replace", inputs: await checked({}), before } as const;
  }

  async #deploy(name: string, declared: Declared): Promise<void> {
    const plan = await this.#plan(name, declared);
    const { step, inputs } = plan;
    this.#outcome.steps[name] = step;
    const { kind } = declared;
    const of = this.#named({ kind, name });
    let made: Saved;
    if (step === "same") {
      made = { ...plan.before, inputs };
      this.#replace(plan.before, made);
    } else if (step === "update") {
      const { before } = plan;
      const answer = await this.#during("updating", { ...before, id: "", inputs }, () =>
        this.#call<Made>((to) => to.update(of, before.id, before.outputs, inputs)),
      );
      const { notReady: _, ...known } = before;
      made = { ...known, inputs, ...answer };
      this.#replace(before, made);
    } else {
      const next = { kind, name, inputs };
      const answer = await this.#during("creating", { ...next, id: "", outputs: {} }, () =>
        this.#call<Made>((to) => to.create(of, inputs)),
      );
      made = { ...next, ...answer };
      // The engine marks the old resource once there is a new one.
      if (step === "replace") this.#replace(plan.before, { ...plan.before, replaced: true, tainted: false });
      this.resources = [...this.resources, made];
    }
    if (step !== "same") this.#moment();
    if (made.notReady !== undefined) throw new StepFailed(made.notReady);
    this.#saw({ kind: "delivered", id: String(made.outputs.keyId) });
    if (this.#flags.failing === name) throw new StepFailed(`the consumer of ${name} failed`);
  }

  #deleteAll(resources: readonly Saved[]): Promise<void> {
    return this.#each([...resources].reverse().map((each) => [each.name, () => this.#delete(each)]));
  }

  async #delete(resource: Saved): Promise<void> {
    const { id, name, outputs } = resource;
    const of = this.#named(resource);
    this.#saw({ kind: "deleting", ids: idsIn(outputs), revokes: outputs.revokeOnDelete !== false });
    await this.#during("deleting", resource, () => this.#call((to) => to.delete(of, id, outputs)));
    this.#replace(resource, undefined);
    this.#outcome.steps[name] ??= "delete";
    this.#moment();
  }

  /** Does something while it is a pending operation of the state. That stays if the engine dies. */
  async #during<T>(type: string, resource: Saved, body: () => Promise<T>): Promise<T> {
    const operation = { type, resource: this.#written(resource) };
    this.pending = [...this.pending, operation];
    this.#moment();
    let isOver = true;
    try {
      const answer = await body();
      this.#moment();
      if (type !== "deleting" && this.#flags.dies === resource.name) {
        isOver = false;
        throw new Crashed();
      }
      return answer;
    } finally {
      if (isOver && this.#process?.isEngineDead !== true) {
        this.pending = this.pending.filter((each) => each !== operation);
        if (this.#process?.isDead && type === "creating") this.dropped.add(String(resource.inputs.__suffix));
      }
    }
  }

  /** The engine itself can be killed here. */
  #moment(): void {
    this.#process?.reached();
    if (this.#process?.isEngineDead) throw new Crashed();
  }

  #replace(before: Saved, after: Saved | undefined): void {
    this.resources = this.resources.flatMap((each) => (each === before ? (after ?? []) : each));
  }

  #typeOf(kind: Kind): string {
    return (this.frontEnd === "plugin" ? PLUGIN : DYNAMIC) + kind;
  }

  #named({ kind, name }: Pick<Saved, "kind" | "name">) {
    return { kind, urn: urnOf(this.#typeOf(kind), name) };
  }

  /** A resource as the engine writes it. */
  #written({ kind, name, id, inputs, outputs, provider: of = providerUrn(), ...rest }: Saved) {
    const { id: _, ...resource } = saved(this.#typeOf(kind), name, id, { outputs, provider: `${of}::p-1` });
    return {
      ...resource,
      inputs,
      ...(id !== "" && { id }),
      ...(rest.replaced && { delete: true }),
      retainOnDelete: rest.retained,
    };
  }
}

/** The work of a resource. */
type Work = readonly [name: string, body: () => Promise<void>];

function nothing(): Outcome {
  return {
    succeeded: false,
    steps: {},
    errors: {},
    info: [],
    warn: [],
    progress: [],
    requests: [],
    exports: 0,
    histories: 0,
  };
}

/** The ids of the keys in a resource's outputs. */
export function idsIn({ keyId, previousKeyId, pendingRevocations }: Members): string[] {
  return [keyId, previousKeyId, pendingRevocations].flat().filter((id): id is string => typeof id === "string");
}

/** The history has whole seconds. */
function seconds(ms: number): string {
  return new Date(Math.floor(ms / 1_000) * 1_000).toISOString();
}

/** The route of a request in the form that rules use. */
export function routeOf({ method, route, path }: LogEntry): string {
  return `${method} ${route ?? path}`;
}
