import { afterEach } from "vitest";
import { Account } from "../../../provider/api";
import { resourceTypes } from "../../../provider/dynamic/registry";
import { accountMark } from "../../../provider/keys/account-fingerprint";
import { identityOf } from "../../../provider/keys/identity";
import { newRunId, noncesOf, ownerTag } from "../../../provider/keys/names";
import { textsOf } from "../../../provider/members";
import type { Properties } from "../../../provider/schema/outputs";
import { type Context, NotReady, RunNotes } from "../../../provider/schema/resource-type";
import type { History } from "../../../provider/schema/witness";
import { Settings } from "../../../provider/settings/settings";
import { type ControlPlane, type LogEntry, startControlPlane } from "../../../testing/control-plane";
import { DrivenClock } from "../http/driven-clock";
import { SavedState } from "./saved-state";

/** The owner of the stack under test, and the owner of another stack in the same account. */
export const OWNER = "3b241101-e2bb-4255-8caf-4136c566a962";
export const OTHER_OWNER = "9f0c1a77-5d0e-4f4e-9d0b-7c1f0e6a1b22";

/** After how many real milliseconds without an answer a request times out. */
const REQUEST_TIMEOUT_MS = 250;

/** A key after `create`: ready, or recorded as not ready. */
export interface Made {
  readonly id: string;
  readonly outputs: Properties;
  /** Why it is not ready. */
  readonly notReady?: string;
}

/** Values as the engine has them: it does not know the types of their members. */
export const json = (values: Properties): Properties => values;

/** The messages of a resource, in order. */
export interface Told {
  readonly progress: string[];
  readonly info: string[];
  readonly warn: string[];
}

const open: ControlPlane[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
});

/** What a test has otherwise than usual, in the context and in the history of the stack. */
type Overrides = Partial<Omit<Context, "history">> & { readonly history?: Partial<History> };

/** The resources of one stack at a real control plane. Time passes only while somebody waits. */
export class StackHarness {
  readonly told: Told = { progress: [], info: [], warn: [] };
  readonly context: Context;
  readonly account: Account;
  /** The identity of the stack's owner, as its keys receive it. */
  readonly identity: string;
  /** The name of every requested creation, in order. */
  readonly names: string[] = [];
  /** The id of the run, which begins the nonces of its names. */
  readonly runId = newRunId();
  /** The stack's own state, as the engine has saved it; `undefined` if it cannot be read. */
  saved: SavedState | undefined;
  /** Whether a run may have delivered keys without a record; `undefined` if the history cannot be read. */
  mayHaveDelivered: boolean | undefined = false;

  private constructor(
    readonly plane: ControlPlane,
    readonly clock: LinkedClock,
    readonly owner: string,
    overrides: Overrides,
    apiKey: string,
    requestTimeoutMs: number,
  ) {
    const options = {
      baseUrl: plane.url,
      apiKey,
      requestTimeoutMs,
      operationTimeoutMs: 30 * 60_000,
      pollIntervalMs: 5_000,
      concurrency: 8,
    };
    this.account = Account.for({ ...options, clock, random: () => 0 });
    const create = this.account.keys.create.bind(this.account.keys);
    this.account.keys.create = (name, read) => {
      this.names.push(name);
      return create(name, read);
    };
    // The settle time depends on the settings. It is that of a real service, although no test waits in real time.
    const settings = new Settings({ ...options, requestTimeoutMs: 30_000 });
    const mark = accountMark({ baseUrl: plane.url, apiKey });
    this.identity = identityOf(owner, mark);
    this.context = {
      urn: "urn:pulumi:dev::app::t::ci",
      settings: () => settings,
      account: () => this.account,
      keys: () => this.account.keys,
      accountMark: () => mark,
      now: () => clock.now(),
      run: new RunNotes(),
      checkpointsSkipped: false,
      scope: { account: undefined, organizationId: undefined },
      nonce: noncesOf(this.runId),
      runRecord: this.runId,
      creating: (creation) => creation,
      noteCreated: () => {},
      witness: async (identity, look) => this.saved?.witness(identity, look),
      isDeclared: true,
      hasLedger: true,
      command: () => ({ isInDoubt: false, isLimited: false, isDestroy: false }),
      progress: (text) => this.told.progress.push(text),
      info: (text) => this.told.info.push(text),
      warn: (text) => this.told.warn.push(text),
      ...overrides,
      history: {
        mark: async () => undefined,
        since: async () => undefined,
        mayHaveDeliveredBetween: async () => this.mayHaveDelivered,
        mayHaveSucceeded: async () => false,
        updatesSince: async () => () => true,
        ...overrides.history,
      },
    };
  }

  /** A stack with its own control plane. */
  static async start(overrides: Overrides = {}): Promise<StackHarness> {
    const plane = await startControlPlane({ clock: { mode: "driven" } });
    open.push(plane);
    const { timeline } = await plane.clock.read();
    const clock = new LinkedClock(plane, timeline);
    return new StackHarness(plane, clock, OWNER, overrides, plane.apiKey, REQUEST_TIMEOUT_MS);
  }

  /** Another stack, or the same one with another credential, at the same control plane. */
  beside(other: { readonly owner?: string; readonly apiKey?: string; readonly context?: Overrides }): StackHarness {
    const { owner = this.owner, apiKey = this.plane.apiKey, context = {} } = other;
    return new StackHarness(this.plane, this.clock, owner, context, apiKey, REQUEST_TIMEOUT_MS);
  }

  /** The same stack at another control plane with the same time. */
  async elsewhere(): Promise<StackHarness> {
    const plane = await startControlPlane({ clock: { mode: "driven" } });
    open.push(plane);
    await this.clock.follow(plane);
    return new StackHarness(plane, this.clock, this.owner, {}, plane.apiKey, REQUEST_TIMEOUT_MS);
  }

  /**
   * Lets the provider read the stack's own state, which has the owner with this run on record, and nothing else yet.
   * @param runs - Ids of the runs on record. @default this run
   */
  save(runs: readonly string[] = [this.runId]): SavedState {
    this.saved = new SavedState({ id: this.owner, identity: this.identity, runs });
    return this.saved;
  }

  /** The mark in the names of this stack's keys. */
  get tag(): string {
    return ownerTag(this.owner);
  }

  /** Creates an `ApiKey`. Throws if no key is recorded. */
  createKey(inputs: Properties = {}): Promise<Made> {
    return made(() => resourceTypes.ApiKey.create({ owner: this.identity, ...inputs }, this.context));
  }

  /** Updates an `ApiKey` in place. */
  updateKey({ id, outputs }: Made, inputs: Properties = {}): Promise<Made> {
    const news = { owner: this.identity, ...inputs };
    return made(async () => ({ id, outputs: await resourceTypes.ApiKey.update(id, outputs, news, this.context) }));
  }

  readKey({ id, outputs }: Made): Promise<Properties | undefined> {
    return resourceTypes.ApiKey.read(id, outputs, this.context);
  }

  deleteKey({ id, outputs }: Made): Promise<void> {
    return resourceTypes.ApiKey.delete(id, outputs, this.context);
  }

  /** Runs the stack's ledger at the end of an `up`, for the first time or with its earlier outputs. */
  async sweep(owned: readonly string[], before?: Properties): Promise<Properties> {
    return this.endRun({ owner: this.identity, owned }, before);
  }

  /** Deletes the stack's owner, at the end of a `destroy`. */
  async deleteOwner(): Promise<void> {
    const { owner: id, identity, context } = this;
    await resourceTypes.Owner.delete(id, { identity }, context);
  }

  /** Runs the stack's ledger with these inputs, in a run that has checked all keys in them. */
  async endRun(inputs: Properties, before?: Properties): Promise<Properties> {
    for (const id of textsOf(inputs.owned)) this.context.run.holders.set(id, new Set([id]));
    if (before === undefined) return (await resourceTypes.Ledger.create(inputs, this.context)).outputs;
    return resourceTypes.Ledger.update("ledger", before, inputs, this.context);
  }

  /** The ids of all live keys except the admin's, oldest first. */
  async liveIds(): Promise<string[]> {
    return (await this.plane.liveKeys()).map((key) => String(key.id)).sort();
  }

  /** The requests so far, as `POST /api_keys`. */
  async requests(since = 0): Promise<string[]> {
    const entries = await this.plane.log({ since });
    return entries.filter((entry) => entry.lateOf === null).map(routeOf);
  }

  /** How many POSTs reached the service, without those whose answer means that nothing was done. */
  async postsThatMayCount(): Promise<number> {
    const posts = await this.plane.log({ method: "POST", route: "/api_keys" });
    return posts.filter(({ status, lateOf }) => lateOf === null && ![423, 429, 503].includes(Number(status))).length;
  }
}

/** What a rotating key with a grace of an hour tells the ledger about its previous key. */
export function previousOf(id: string, successor: string, isRetired: boolean): Properties {
  return { [id]: { successor, isRetired, periods: { gracePeriod: "1h" } } };
}

/** What the ledger has recorded of a previous key whose grace is over. */
export function deliveredLongAgo(id: string, successor: string): Properties {
  return { [id]: { successor, deliveredAt: "2020-01-01T00:00:00.000Z" } };
}

/** The route of a request in the form that rules use. */
export function routeOf({ method, route, path }: LogEntry): string {
  return `${method} ${route ?? path}`;
}

/** The error with which a promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

async function made(verb: () => Promise<{ id: string; outputs: Properties }>): Promise<Made> {
  try {
    return await verb();
  } catch (error) {
    if (!(error instanceof NotReady)) throw error;
    return { id: error.id, outputs: error.outputs, notReady: error.message };
  }
}

/** A driven clock. The clocks of control planes follow it, so that all clocks always agree. */
export class LinkedClock extends DrivenClock {
  /** Called while everybody waits, each time before the time advances. */
  meanwhile: () => Promise<unknown> = () => Promise.resolve();
  #waking: number[] = [];
  #jumps = Promise.resolve();
  readonly #planes: ControlPlane[];

  constructor(plane: ControlPlane, now: number) {
    super(false, now - 1_000);
    this.#planes = [plane];
  }

  /** Lets the clock of another control plane follow this clock. */
  async follow(plane: ControlPlane): Promise<void> {
    const { timeline } = await plane.clock.read();
    await plane.clock.advance(Math.max(0, this.now() - timeline));
    this.#planes.push(plane);
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const at = this.monotonic() + ms;
    this.#waking.push(at);
    const sleep = super.sleep(ms, signal);
    // Advances one at a time, because two at once would advance the time twice.
    this.#jumps = this.#jumps.then(() => this.#jump());
    try {
      await sleep;
    } finally {
      this.#waking.splice(this.#waking.indexOf(at), 1);
    }
  }

  /** Advances all clocks. */
  async pass(ms: number): Promise<void> {
    await Promise.all(this.#planes.map((plane) => plane.clock.advance(ms)));
    this.advance(ms);
  }

  async #jump(): Promise<void> {
    await new Promise(setImmediate);
    await this.meanwhile();
    const next = Math.min(...this.#waking);
    if (next > this.monotonic() && Number.isFinite(next)) await this.pass(next - this.monotonic());
    // A delay of nothing is over at once.
    else this.advance(0);
  }
}
