import { subscribe } from "node:diagnostics_channel";
import { Account } from "../../provider/api/account";
import { adapt } from "../../provider/dynamic/adapter";
import { AbortedError } from "../../provider/errors";
import { ProviderConfig } from "../../provider/plugin/config";
import { type Recorded, Resources } from "../../provider/plugin/resources";
import { apiKey } from "../../provider/resources/api-key";
import type { ResourceType } from "../../provider/resources/resource";
import { rotatingApiKey } from "../../provider/resources/rotating-api-key";
import { EngineLink, type EngineModules, type Severity } from "../../provider/session/engine-link";
import { Session } from "../../provider/session/session";
import { unmarked } from "../../provider/session/values";
import type { Pulumi } from "../../provider/stack/pulumi";
import { Stack } from "../../provider/stack/stack";
import type { StoryClock } from "./clock";

export type FrontEnd = "dynamic" | "plugin";
export type Kind = "ApiKey" | "RotatingApiKey";
export type Values = Readonly<Record<string, unknown>>;

/** A resource that exists, and whether it is ready. */
export interface Made {
  readonly id: string;
  readonly outputs: Values;
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
  check(named: Named, olds: Values, news: Values, seed: string): Promise<Values>;
  diff(named: Named, id: string, outputs: Values, news: Values): Promise<Difference>;
  create(named: Named, inputs: Values): Promise<Made>;
  read(named: Named, id: string, inputs: Values, outputs: Values): Promise<Values | undefined>;
  update(named: Named, id: string, outputs: Values, news: Values): Promise<Made>;
  delete(named: Named, id: string, outputs: Values): Promise<void>;
}

/** What a provider's process needs of its surroundings. */
export interface Surroundings {
  readonly frontEnd: FrontEnd;
  readonly stack: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clock: StoryClock;
  readonly pulumi: Pick<Pulumi, "state" | "history">;
  readonly say: (text: string) => void;
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

const TYPES: Readonly<Record<Kind, ResourceType>> = { ApiKey: apiKey, RotatingApiKey: rotatingApiKey };

/** The process of a provider, which can be killed. */
export class ProviderProcess {
  private static current: ProviderProcess | undefined;
  private static isSubscribed = false;
  readonly provider: Provider;
  /** Whether the engine that started it is dead, too. */
  isEngineDead = false;
  isDead = false;
  private readonly session: ModelSession;
  private readonly death: Promise<never>;
  private die: (reason: Error) => void = () => {};
  private moments = 0;

  constructor(
    surroundings: Surroundings,
    private readonly crash: Crash | undefined,
  ) {
    this.session = new ModelSession(surroundings);
    this.provider = surroundings.frontEnd === "plugin" ? pluginOf(this.session) : dynamicOf(this.session, surroundings);
    this.death = new Promise((_, reject) => {
      this.die = reject;
    });
    this.death.catch(() => {});
    const { clock } = surroundings;
    const startedAt = clock.now();
    // Keys that are older than the process are those of earlier runs.
    Object.defineProperty(performance, "timeOrigin", { configurable: true, get: () => startedAt });
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

/** The session of one process, with the clock of the story. */
class ModelSession extends Session {
  override readonly engine: EngineLink;
  override readonly stack: Stack;
  readonly #account: Account;

  constructor({ baseUrl, apiKey, clock, pulumi, say }: Surroundings) {
    super(noModules);
    this.engine = new CollectingLink(say);
    this.stack = new Stack(() => ({ ...pulumi, organizations: async () => [] }));
    const config: Readonly<Record<string, string>> = { baseUrl, apiKey };
    this.configure((name) => config[name]);
    const settings = { ...this.settings(undefined), requestTimeoutMs: 2_000 };
    this.#account = Account.for({ ...settings, clock: clock.ofProcess(), random: () => 0 });
  }

  override account(): Account {
    return this.#account;
  }

  override now(): number {
    return this.#account.now();
  }

  end(why: string): void {
    this.#account.abort(new AbortedError(why));
  }
}

/** Collects the messages that the engine would show. */
class CollectingLink extends EngineLink {
  constructor(private readonly say: (text: string) => void) {
    super("", noModules);
  }

  override watch(): void {}

  override log(_urn: string, _severity: Severity, text: string): void {
    this.say(text);
  }
}

function noModules(): EngineModules {
  throw new Error("the model has no engine to connect to");
}

function pluginOf(session: ModelSession): Provider {
  const resources = new Resources(session, () => new ProviderConfig({}));
  const named = ({ urn, kind }: Named) => ({ urn, type: TYPES[kind] });
  return {
    check: async (of, olds, news, seed) => {
      const { inputs, reasons } = await resources.check(named(of), { ...olds }, { ...news }, Buffer.from(seed));
      if (reasons.length > 0) throw new Error(reasons.join("; "));
      return inputs;
    },
    diff: async (of, id, outputs, news) => {
      const { changes, replaces } = await resources.diff(named(of), id, { ...outputs }, { ...news });
      return { changes, replaces: replaces.length > 0 };
    },
    create: async (of, inputs) => reached(await resources.create(named(of), { ...inputs })),
    read: async (of, id, inputs, outputs) =>
      (await resources.read(named(of), id, { ...inputs }, { ...outputs }))?.outputs,
    update: async (of, id, outputs, news) =>
      reached(await resources.update(named(of), id, { ...outputs }, { ...news })),
    delete: (of, id, outputs) => resources.delete(named(of), id, { ...outputs }),
  };
}

const reached = ({ id, outputs, problem }: Recorded): Made => ({
  ...{ id, outputs },
  ...(problem !== undefined && { notReady: problem }),
});

/** Calls the provider as Pulumi's dynamic host does: it unwraps secrets, and passes the state instead of a URN. */
function dynamicOf(session: ModelSession, { stack }: Surroundings): Provider {
  const types = { ApiKey: adapt(apiKey, session), RotatingApiKey: adapt(rotatingApiKey, session) };
  const plain = (values: object | undefined) => unmarked(values ?? {}) as Values;
  return {
    async check({ urn, kind }, olds, news, seed) {
      const given = { ...news, resourceUrn: urn, __seed: `organization/model/${stack}/${seed}`, __provider: "code" };
      const { inputs = {}, failures = [] } = (await types[kind].check?.({ ...olds }, given)) ?? {};
      if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("; "));
      return plain(inputs);
    },
    async diff({ kind }, id, outputs, news) {
      const found = await types[kind].diff?.(id, { ...outputs }, { ...news });
      const { changes = false, replaces = [] } = found ?? {};
      return { changes, replaces: replaces.length > 0 };
    },
    create: ({ kind }, inputs) =>
      made("", async () => {
        const { id, outs } = await types[kind].create({ ...inputs });
        return { id, outputs: plain(outs) };
      }),
    async read({ kind }, id, _inputs, outputs) {
      const found = await types[kind].read?.(id, { ...outputs });
      return found?.props && plain(found.props);
    },
    update: ({ kind }, id, outputs, news) =>
      made(id, async () => ({
        id,
        outputs: plain((await types[kind].update?.(id, { ...outputs }, { ...news }))?.outs),
      })),
    delete: async ({ kind }, id, outputs) => types[kind].delete?.(id, { ...outputs }),
  };
}

/** What a creation or an update has made. One that is not ready fails with the state to record. */
async function made(id: string, body: () => Promise<Made>): Promise<Made> {
  try {
    return await body();
  } catch (error) {
    const shown = error as { readonly id?: string; readonly properties?: Values; readonly message: string };
    if (shown.properties === undefined) throw error;
    return { id: id || String(shown.id), outputs: unmarked(shown.properties) as Values, notReady: shown.message };
  }
}
