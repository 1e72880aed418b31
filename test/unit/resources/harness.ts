import { afterEach } from "vitest";
import { Account } from "../../../provider/api";
import type { Members } from "../../../provider/members";
import { apiKey } from "../../../provider/resources/api-key";
import { projectReady } from "../../../provider/resources/project-ready";
import type { Made, ResourceType } from "../../../provider/resources/resource";
import { rotatingApiKey } from "../../../provider/resources/rotating-api-key";
import { EngineLink, type Severity } from "../../../provider/session/engine-link";
import type { Answer } from "../../../provider/session/run-call";
import { Session } from "../../../provider/session/session";
import {
  checkResource,
  createResource,
  deleteResource,
  diffResource,
  readResource,
  updateResource,
} from "../../../provider/session/verbs";
import { readDeployment } from "../../../provider/stack/deployment";
import { readHistory } from "../../../provider/stack/history";
import { PulumiError } from "../../../provider/stack/pulumi";
import { Stack } from "../../../provider/stack/stack";
import { type ControlPlane, type LogEntry, startControlPlane } from "../../../testing/control-plane";
import { DYNAMIC, provider, providerUrn, saved, urnOf } from "../stack/saved-stack";
import { LinkedClock } from "./linked-clock";

const TYPES = { ApiKey: apiKey, RotatingApiKey: rotatingApiKey, ProjectReady: projectReady };
type Kind = keyof typeof TYPES;

export const SECOND = 1_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const POST = "POST /api_keys";
export const LIST = "GET /api_keys";
export const DELETE = "DELETE /api_keys/{key_id}";

/** A resource of a program. */
interface Declared {
  readonly kind: Kind;
  readonly inputs: Members;
}

/** The resources of a program by their names. */
export type Program = Readonly<Record<string, Declared>>;

export const key = (inputs: Members = {}): Declared => ({ kind: "ApiKey", inputs });
export const rotating = (inputs: Members = {}): Declared => ({ kind: "RotatingApiKey", inputs });
export const gate = (inputs: Members = {}): Declared => ({ kind: "ProjectReady", inputs });

/** A resource in the state. */
export interface Saved {
  readonly kind: Kind;
  readonly name: string;
  readonly id: string;
  readonly inputs: Members;
  readonly outputs: Members;
  readonly provider?: string;
  /** It exists, and is not ready. */
  readonly initFailed?: boolean;
  /** It was replaced, and is left to be deleted. */
  readonly replaced?: boolean;
  /** Pulumi drops it without deleting it. */
  readonly retained?: boolean;
}

/** What a run did, and what it showed. */
export interface Outcome {
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

interface How {
  /** The resource in whose step the engine is killed: the service has done it, and nothing of it is saved. */
  readonly dies?: string;
  /** Limits the run to this resource. */
  readonly target?: string;
  /** A run that fails for another reason, such as a consumer of another provider. */
  readonly fails?: boolean;
}

const open: ControlPlane[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
  // The own property that a run has set hides that of the process.
  Reflect.deleteProperty(performance, "timeOrigin");
});

/** The engine that a provider's process talks to: it records the messages. */
class RecordedEngine extends EngineLink {
  constructor(private readonly said: Pick<Outcome, "info" | "warn" | "progress">) {
    super("", () => {
      throw new Error("there is no engine");
    });
  }

  override log(_urn: string, severity: Severity, text: string): void {
    this.said[severity === "warning" ? "warn" : severity].push(text);
  }

  override watch(): void {}
}

/** The provider's process of one run. */
export class Run extends Session {
  readonly outcome: Outcome = {
    ...{ steps: {}, errors: {}, info: [], warn: [], progress: [] },
    ...{ requests: [], exports: 0, histories: 0 },
  };
  override readonly engine: EngineLink = new RecordedEngine(this.outcome);
  override readonly stack: Stack;
  readonly #accounts = new Map<string | undefined, Account>();
  readonly #random = () => 0;

  constructor(readonly of: TestStack) {
    super(() => {
      throw new Error("there is no engine");
    });
    const ask = { state: () => this.#state(), history: () => this.#history(), organizations: async () => [] };
    this.stack = new Stack(() => ask);
    if (of.service !== undefined) this.stack.rememberName("acme/app/dev");
    this.configure((name) => of.settings[name]);
    // A process of its own begins now, by the clock of the test.
    Object.defineProperty(performance, "timeOrigin", { value: of.startedAt ?? of.clock.now(), configurable: true });
  }

  override now(): number {
    return this.of.clock.now();
  }

  override account(name: string | undefined): Account {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const { clock } = this.of;
    // Another function in each process, so that it shares no list with another one.
    const account = Account.for({ ...this.settings(name), requestTimeoutMs: 250, clock, random: this.#random });
    this.#accounts.set(name, account);
    return account;
  }

  async #state() {
    this.outcome.exports++;
    if (!this.of.isReadable) throw new PulumiError("`pulumi stack export` failed with exit code 1", "failed");
    const text = JSON.stringify(this.of.service === "late" ? this.of.savedBefore : this.of.deployment);
    return readDeployment(text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${this.of.stackName}::`));
  }

  async #history() {
    this.outcome.histories++;
    const { history } = this.of;
    if (history === undefined) throw new PulumiError("`pulumi stack history` failed with exit code 1", "failed");
    const { service, began } = this.of;
    const now = service === undefined ? [] : [{ kind: "update", result: "in-progress", startTime: iso(began) }];
    return readHistory(JSON.stringify([...now, ...history]));
  }
}

/** A stack with an engine as small as a test needs, and a real service. */
export class TestStack {
  resources: readonly Saved[] = [];
  /** Resources of others in the state. */
  more: readonly object[] = [];
  /** Creations of killed runs. */
  notes: readonly object[] = [];
  /** The ended runs, newest first; `undefined` if they cannot be read. */
  history: readonly object[] | undefined = [];
  /** Whether the Pulumi CLI answers for the state. */
  isReadable = true;
  /** Whether it answers for this stack. */
  isOther = false;
  /** The name of the stack in its state. The outputs of resources have the one of their last update. */
  stackName = "dev";
  /** A service that shows the changes of a run at once, or only at its end. @default files */
  service: "live" | "late" | undefined;
  /** The state as the last run began, and when that was. */
  savedBefore: object = {};
  began = 0;
  /** When the next process was started. @default when it runs */
  startedAt: number | undefined;
  settings: Record<string, string>;
  #underWay: readonly object[] = [];

  private constructor(
    readonly plane: ControlPlane,
    readonly clock: LinkedClock,
    settings: Record<string, string> = {},
  ) {
    this.settings = { baseUrl: plane.url, apiKey: plane.apiKey, ...settings };
  }

  /** A stack with its own control plane. */
  static async start(settings: Record<string, string> = {}): Promise<TestStack> {
    const plane = await startControlPlane({ clock: { mode: "driven" } });
    open.push(plane);
    return new TestStack(plane, new LinkedClock(plane, (await plane.clock.read()).timeline), settings);
  }

  /** Another stack of the same account, or with another credential. */
  beside(settings: Record<string, string> = {}): TestStack {
    return new TestStack(this.plane, this.clock, settings);
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
    const resources = [provider(), ...this.more, ...this.resources.map(written)];
    const pending = this.isOther ? [] : [...this.notes, ...this.#underWay];
    return { version: 3, deployment: { resources, pending_operations: pending } };
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

  /** The names that were requested so far. */
  async requestedNames(): Promise<string[]> {
    const posts = await this.plane.log({ method: "POST" });
    return posts.flatMap(({ effects }) => effects.flatMap((each) => (each.kind === "key-created" ? [each.name] : [])));
  }

  /** A `pulumi up` of a program, in a process of its own, a second later than all before. */
  async up(program: Program, how: How = {}): Promise<Outcome> {
    return this.#run(async (run) => {
      const began = this.clock.now();
      const named = Object.entries(program).filter(([name]) => how.target === undefined || name === how.target);
      await Promise.all(
        named.map(([name, declared]) => this.#attempt(run, name, () => this.#step(run, name, declared, how))),
      );
      if (how.dies !== undefined) return;
      const isGone = ({ name, kind, replaced }: Saved) => replaced || program[name]?.kind !== kind;
      if (how.target === undefined) await this.#deleteAll(run, this.resources.filter(isGone));
      await this.clock.pass(SECOND);
      const result = how.fails || Object.keys(run.outcome.errors).length > 0 ? "failed" : "succeeded";
      const environment = { "pulumi.version": "v3.260.0", ...(how.target && { "pulumi.flag.target": "true" }) };
      const times = { startTime: iso(began), endTime: iso(this.clock.now()) };
      this.history = this.history && [{ kind: "update", result, ...times, environment }, ...this.history];
    });
  }

  /** What an `up` would do, without a request. */
  async preview(program: Program): Promise<Outcome> {
    return this.#run(async (run) => {
      for (const [name, declared] of Object.entries(program)) {
        await this.#attempt(run, name, async () => {
          run.outcome.steps[name] = (await this.#plan(run, name, declared)).step;
        });
      }
    });
  }

  async refresh(): Promise<Outcome> {
    return this.#run(async (run) => {
      await Promise.all(
        this.resources.map((before) =>
          this.#attempt(run, before.name, async () => {
            const { id, inputs, outputs } = before;
            const found = await readResource(run, targetOf(before), { id, outputs });
            this.#replace(before, found && { ...before, outputs: found });
            const isDrift =
              found && (await diffResource(run, targetOf(before), { id, outputs: found, inputs })).changes;
            run.outcome.steps[before.name] = found === undefined ? "gone" : isDrift ? "drift" : "same";
          }),
        ),
      );
    });
  }

  async destroy(): Promise<Outcome> {
    return this.#run((run) => this.#deleteAll(run, this.resources));
  }

  /** Runs something in a process of its own, and counts what it requests. */
  async #run(body: (run: Run) => Promise<unknown>): Promise<Outcome> {
    await this.clock.pass(SECOND);
    const since = (await this.plane.log()).at(-1)?.seq ?? 0;
    this.savedBefore = this.deployment;
    this.began = this.clock.now();
    const run = new Run(this);
    await body(run);
    run.outcome.requests = await this.requests(since);
    this.#underWay = [];
    return run.outcome;
  }

  /** Plans a step: the checked inputs, and what is to be done. */
  async #plan(run: Run, name: string, { kind, inputs: news }: Declared) {
    const before = this.find(name);
    const target = targetOf({ kind, name });
    const checked = async (olds: Members) => {
      const { inputs, reasons } = await checkResource(run, target, { olds, news });
      if (reasons.length > 0) throw new Error(reasons.join("\n"));
      return inputs;
    };
    const inputs = await checked(before?.inputs ?? {});
    if (before === undefined) return { step: "create", inputs } as const;
    const { id, outputs } = before;
    const { changes, replaces } = await diffResource(run, target, { id, outputs, inputs });
    if (!changes && !before.initFailed) return { step: "same", inputs, before } as const;
    if (replaces.length === 0) return { step: "update", inputs, before } as const;
    return { step: "replace", inputs: await checked({}), before } as const;
  }

  async #step(run: Run, name: string, declared: Declared, how: How): Promise<void> {
    const plan = await this.#plan(run, name, declared);
    const { kind } = declared;
    const { step, inputs } = plan;
    run.outcome.steps[name] = step;
    const target = targetOf({ kind, name });
    const isKilled = how.dies === name;
    if (step === "same") return this.#replace(plan.before, { ...plan.before, inputs });
    if (step === "update") {
      const { before } = plan;
      const { id, outputs } = before;
      await this.#during({ type: "updating", resource: written({ ...before, id: "", inputs }) }, async () => {
        await saving(
          async () => ({ id, ...(await updateResource(run, target, { id, outputs, inputs })) }),
          ({ state }, initFailed) => {
            if (!isKilled) this.#replace(before, { ...before, inputs, outputs: plain(state), initFailed });
          },
        );
      });
      return;
    }
    const note = { type: "creating", resource: written({ kind, name, id: "", inputs, outputs: {} }) };
    if (isKilled) this.notes = [...this.notes, note];
    await this.#during(note, async () => {
      await saving(
        () => createResource(run, target, inputs),
        ({ id, state }, initFailed) => {
          if (isKilled) return;
          // The engine suffixes the old resource once there is a new one.
          if (step === "replace") this.#replace(plan.before, { ...plan.before, replaced: true });
          const made = { kind, name, id, inputs, outputs: plain(state), initFailed };
          this.resources = [...this.resources, made];
        },
      );
    });
  }

  async #deleteAll(run: Run, resources: readonly Saved[]): Promise<void> {
    await Promise.all(
      resources.map((resource) =>
        this.#attempt(run, resource.name, async () => {
          await this.#delete(run, resource);
          run.outcome.steps[resource.name] ??= "delete";
        }),
      ),
    );
  }

  async #delete(run: Run, resource: Saved): Promise<void> {
    const { id, outputs } = resource;
    await this.#during({ type: "deleting", resource: written(resource) }, () =>
      deleteResource(run, targetOf(resource), { id, outputs }),
    );
    this.#replace(resource, undefined);
  }

  /** Does something while the state has a note of it. */
  async #during(note: object, body: () => Promise<unknown>): Promise<void> {
    this.#underWay = [...this.#underWay, note];
    try {
      await body();
    } finally {
      this.#underWay = this.#underWay.filter((each) => each !== note);
    }
  }

  async #attempt(run: Run, name: string, body: () => Promise<unknown>): Promise<void> {
    try {
      await body();
    } catch (error) {
      run.outcome.errors[name] = (error as Error).message;
    }
  }

  #replace(before: Saved, after: Saved | undefined): void {
    this.resources = this.resources.flatMap((each) => (each === before ? (after ?? []) : each));
  }
}

/** Saves what a verb answers, and what it leaves if the resource is not ready. */
async function saving(
  verb: () => Promise<Answer<Made>>,
  save: (made: Answer<Made>, initFailed: boolean) => void,
): Promise<void> {
  const made = await verb();
  save(made, made.problem !== undefined);
  if (made.problem !== undefined) throw new Error(made.problem);
}

const targetOf = ({ kind, name }: Pick<Saved, "kind" | "name">): { type: ResourceType; urn: string } => ({
  type: TYPES[kind],
  urn: urnOf(DYNAMIC + kind, name),
});

/** A resource as the engine writes it. */
function written({ kind, name, id, inputs, outputs, provider: of = providerUrn(), ...rest }: Saved): object {
  const { id: _, ...resource } = saved(DYNAMIC + kind, name, id, { inputs, outputs, provider: `${of}::p-1` });
  return {
    ...resource,
    ...(id !== "" && { id }),
    ...(rest.replaced && { delete: true }),
    retainOnDelete: rest.retained,
  };
}

/** The values as they come back from a state. */
const plain = (outputs: Members): Members => JSON.parse(JSON.stringify(outputs, (_, value) => value ?? undefined));

const iso = (time: number): string => new Date(time).toISOString();

/** The route of a request in the form that rules use. */
export function routeOf({ method, route, path }: LogEntry): string {
  return `${method} ${route ?? path}`;
}
