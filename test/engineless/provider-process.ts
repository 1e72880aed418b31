import { subscribe } from "node:diagnostics_channel";
import { Account } from "../../provider/api/account";
import { adapt } from "../../provider/dynamic/adapter";
import { AbortedError } from "../../provider/errors";
import { getOrCreate } from "../../provider/get-or-create";
import type { Members } from "../../provider/members";
import { ProviderConfig } from "../../provider/plugin/config";
import { Resources } from "../../provider/plugin/resources";
import { apiKey } from "../../provider/resources/api-key";
import { projectReady } from "../../provider/resources/project-ready";
import type { ResourceType } from "../../provider/resources/resource";
import { rotatingApiKey } from "../../provider/resources/rotating-api-key";
import { EngineLink, type EngineModules, type Severity } from "../../provider/session/engine-link";
import { Session } from "../../provider/session/session";
import { unmarked } from "../../provider/session/values";
import {
  checkResource,
  createResource,
  deleteResource,
  diffResource,
  readResource,
  updateResource,
} from "../../provider/session/verbs";
import type { Pulumi } from "../../provider/stack/pulumi";
import { Stack } from "../../provider/stack/stack";
import type { LinkedClock } from "./linked-clock";

/** What the engine calls: one of the two front ends, or the verbs of the core themselves. */
export type FrontEnd = "core" | "dynamic" | "plugin";

const TYPES = { ApiKey: apiKey, RotatingApiKey: rotatingApiKey, ProjectReady: projectReady };
export type Kind = keyof typeof TYPES;

/** A resource that exists, and whether it is ready. */
export interface Made {
  readonly id: string;
  readonly outputs: Members;
  /** Why it is not ready. */
  readonly notReady?: string;
}

export interface Difference {
  readonly changes: boolean;
  readonly replaces: boolean;
}

/** The resource of a call. */
export interface Named {
  readonly urn: string;
  readonly kind: Kind;
}

/** The provider as the engine calls it, behind either front end. */
interface Provider {
  check(named: Named, olds: Members, news: Members, seed: string): Promise<Members>;
  diff(named: Named, id: string, outputs: Members, news: Members): Promise<Difference>;
  create(named: Named, inputs: Members): Promise<Made>;
  read(named: Named, id: string, inputs: Members, outputs: Members): Promise<Members | undefined>;
  update(named: Named, id: string, outputs: Members, news: Members): Promise<Made>;
  delete(named: Named, id: string, outputs: Members): Promise<void>;
}

/** What a provider's process needs of its surroundings. */
export interface Surroundings {
  readonly frontEnd: FrontEnd;
  readonly clock: LinkedClock;
  /** When it was started. */
  readonly startedAt: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly requestTimeoutMs: number;
  readonly pulumi: Pick<Pulumi, "state" | "history">;
  /** The organization, the project and the stack, if the program says them. */
  readonly fullName: string | undefined;
  readonly log: (severity: Severity, text: string) => void;
}

/** When a run is killed: after how many moments, and who dies. */
export interface Crash {
  readonly moment: number;
  readonly victim: "both" | "host";
}

/** The engine died. */
export class Crashed extends Error {}

/** A step and therefore the run failed. */
export class StepFailed extends Error {}

/** The process of a provider, which can be killed. */
export class ProviderProcess {
  private static current: ProviderProcess | undefined;
  private static isSubscribed = false;
  readonly provider: Provider;
  /** Whether the engine that started it is dead, too. */
  isEngineDead = false;
  isDead = false;
  readonly session: ProcessSession;
  private readonly death: Promise<never>;
  private die: (reason: Error) => void = () => {};
  private moments = 0;

  constructor(
    surroundings: Surroundings,
    private readonly crash: Crash | undefined,
  ) {
    this.session = new ProcessSession(surroundings);
    this.provider = FRONT_ENDS[surroundings.frontEnd](this.session);
    this.death = new Promise((_, reject) => {
      this.die = reject;
    });
    this.death.catch(() => {});
    // Keys that are older than the process are those of earlier runs.
    Object.defineProperty(performance, "timeOrigin", { value: surroundings.startedAt, configurable: true });
    if (!ProviderProcess.isSubscribed) subscribe("keyplane:provider", () => ProviderProcess.current?.reached());
    ProviderProcess.isSubscribed = true;
    ProviderProcess.current = this;
  }

  /** Calls the provider, which can die in the call. */
  async call<T>(verb: (provider: Provider) => Promise<T>): Promise<T> {
    if (this.isDead) throw new StepFailed("the provider is gone");
    const answer = verb(this.provider);
    answer.catch(() => {});
    return Promise.race([answer, this.death]);
  }

  /** A moment at which the run can be killed. */
  reached(): void {
    this.moments += 1;
    if (this.moments !== this.crash?.moment || this.isDead) return;
    this.isDead = true;
    this.isEngineDead = this.crash.victim === "both";
    this.die(this.isEngineDead ? new Crashed() : new StepFailed("the provider died"));
    this.session.end("killed");
  }

  /** Ends with its engine. */
  close(): void {
    this.isDead = true;
    this.session.end("the run is over");
  }
}

/** The session of one process, with the clock of the test. */
export class ProcessSession extends Session {
  override readonly engine: EngineLink;
  override readonly stack: Stack;
  readonly #of: Surroundings;
  readonly #accounts = new Map<string | undefined, Account>();
  // Another function in each process, so that it shares no account with another one.
  readonly #random = () => 0;

  constructor(of: Surroundings) {
    super(noModules);
    this.#of = of;
    this.engine = new CollectingLink(of.log);
    this.stack = new Stack({ ...of.pulumi, organizations: async () => [] });
    if (of.fullName !== undefined) this.stack.rememberName(of.fullName);
    this.configure((name) => of.settings[name]);
  }

  override account(name: string | undefined): Account {
    const { clock, requestTimeoutMs } = this.#of;
    return getOrCreate(this.#accounts, name, () =>
      Account.for({ ...this.settings(name), requestTimeoutMs, clock, random: this.#random }),
    );
  }

  override now(): number {
    return this.#of.clock.now();
  }

  end(why: string): void {
    for (const account of this.#accounts.values()) account.abort(new AbortedError(why));
  }
}

/** Collects the messages that the engine would show. */
class CollectingLink extends EngineLink {
  constructor(private readonly collect: Surroundings["log"]) {
    super("", noModules);
  }

  override watch(): void {}

  override log(_urn: string, severity: Severity, text: string): void {
    this.collect(severity, text);
  }
}

function noModules(): EngineModules {
  throw new Error("there is no engine to connect to");
}

const typed = ({ urn, kind }: Named): { type: ResourceType; urn: string } => ({ urn, type: TYPES[kind] });

function coreOf(session: Session): Provider {
  return {
    async check(of, olds, news) {
      const { inputs, reasons } = await checkResource(session, typed(of), { olds, news });
      return accepted(inputs, reasons);
    },
    async diff(of, id, outputs, inputs) {
      const { changes, replaces } = await diffResource(session, typed(of), { id, outputs, inputs });
      return { changes, replaces: replaces.length > 0 };
    },
    async create(of, inputs) {
      const { id, state, problem } = await createResource(session, typed(of), inputs);
      return recorded(id, saved(state), problem);
    },
    read: (of, id, _inputs, outputs) => readResource(session, typed(of), { id, outputs }),
    async update(of, id, outputs, inputs) {
      const { state, problem } = await updateResource(session, typed(of), { id, outputs, inputs });
      return recorded(id, saved(state), problem);
    },
    delete: (of, id, outputs) => deleteResource(session, typed(of), { id, outputs }),
  };
}

/** The values as they come back from a state. */
const saved = (outputs: Members): Members => JSON.parse(JSON.stringify(outputs, (_, value) => value ?? undefined));

function pluginOf(session: Session): Provider {
  const resources = new Resources(session, () => new ProviderConfig({}));
  return {
    async check(of, olds, news, seed) {
      const { inputs, reasons } = await resources.check(typed(of), { ...olds }, { ...news }, Buffer.from(seed));
      return accepted(inputs, reasons);
    },
    async diff(of, id, outputs, news) {
      const { changes, replaces } = await resources.diff(typed(of), id, { ...outputs }, { ...news });
      return { changes, replaces: replaces.length > 0 };
    },
    async create(of, inputs) {
      const { id, outputs, problem } = await resources.create(typed(of), { ...inputs });
      return recorded(id, outputs, problem);
    },
    read: async (of, id, inputs, outputs) =>
      (await resources.read(typed(of), id, { ...inputs }, { ...outputs }))?.outputs,
    async update(of, id, outputs, news) {
      const { outputs: now, problem } = await resources.update(typed(of), id, { ...outputs }, { ...news });
      return recorded(id, now, problem);
    },
    delete: (of, id, outputs) => resources.delete(typed(of), id, { ...outputs }),
  };
}

/** Calls the provider as Pulumi's dynamic host does: it unwraps secrets, and passes the state instead of a URN. */
function dynamicOf(session: Session): Provider {
  const of = ({ kind }: Named) => adapt(TYPES[kind], session);
  const plain = (values: object | undefined) => unmarked(values ?? {}) as Members;
  return {
    async check(named, olds, news, seed) {
      const given = { ...news, resourceUrn: named.urn, __seed: `organization/app/dev/${seed}`, __provider: "code" };
      const { inputs = {}, failures = [] } = (await of(named).check?.({ ...olds }, given)) ?? {};
      return accepted(
        plain(inputs),
        failures.map(({ reason }) => reason),
      );
    },
    async diff(named, id, outputs, news) {
      const { changes = false, replaces = [] } = (await of(named).diff?.(id, { ...outputs }, { ...news })) ?? {};
      return { changes, replaces: replaces.length > 0 };
    },
    create: (named, inputs) =>
      made("", async () => {
        const { id, outs } = await of(named).create({ ...inputs });
        return { id, outputs: plain(outs) };
      }),
    async read(named, id, _inputs, outputs) {
      const found = await of(named).read?.(id, { ...outputs });
      // An empty answer reports that the resource is gone.
      return found?.id === undefined ? undefined : plain(found.props);
    },
    update: (named, id, outputs, news) =>
      made(id, async () => {
        const result = await of(named).update?.(id, { ...outputs }, { ...news });
        return { id, outputs: plain(result?.outs) };
      }),
    delete: async (named, id, outputs) => of(named).delete?.(id, { ...outputs }),
  };
}

const FRONT_ENDS: Readonly<Record<FrontEnd, (session: Session) => Provider>> = {
  core: coreOf,
  dynamic: dynamicOf,
  plugin: pluginOf,
};

function accepted(inputs: Members, reasons: readonly string[]): Members {
  if (reasons.length > 0) throw new Error(reasons.join("\n"));
  return inputs;
}

const recorded = (id: string, outputs: Members, problem: string | undefined): Made => ({
  id,
  outputs,
  ...(problem !== undefined && { notReady: problem }),
});

/** What a creation or an update has made. One that is not ready fails with the state to record. */
async function made(id: string, body: () => Promise<Made>): Promise<Made> {
  try {
    return await body();
  } catch (error) {
    const shown = error as { readonly id?: string; readonly properties?: Members; readonly message: string };
    if (shown.properties === undefined) throw error;
    return recorded(id || String(shown.id), unmarked(shown.properties) as Members, shown.message);
  }
}
