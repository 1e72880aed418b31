import type { Account } from "../api/account";
import { formatDuration } from "../duration";
import { getOrCreate } from "../get-or-create";
import type { Retry } from "../http";
import { accountMark } from "../keys/account-fingerprint";
import { KnownOrigins, type NewAddressError } from "../keys/known-origins";
import { newRunId, noncesOf, startMark } from "../keys/names";
import { type Scope, scopeKey, scopeOf } from "../keys/scope";
import { hasUnknown, type Planned } from "../schema/field-types";
import type { Given, Outputs } from "../schema/outputs";
import { RunNotes } from "../schema/resource-type";
import { type ConfigReader, credentialsIn, renamedFromIn, resolveSettings, type Settings } from "../settings/settings";
import { type EngineCommand, engineCommand } from "../stack/command-line";
import { StackLook } from "../stack/stack-look";
import { Cancellation } from "./cancellation";
import { EngineLink, type EngineModules } from "./engine-link";
import { LongWaits } from "./long-waits";
import { UnreadyResources } from "./unready-resources";

/** Minimum time between two retries that are shown, in milliseconds. Under load there can be hundreds. */
const RETRY_SHOWN_EVERY_MS = 1_000;

/**
 * What all resources of this process share, in Pulumi's dynamic host and in the plugin. The host configures each
 * resource type separately, and starts the second call before the first configuration is done. So `configure` only
 * stores the config. Everything else is created, and can fail, in the call that needs it.
 */
export class Session {
  readonly engine: EngineLink;
  /** What the engine's own records say about the stack. */
  readonly stack = new StackLook(this);
  readonly longWaits = new LongWaits();
  readonly unready = new UnreadyResources();
  readonly nonce: () => string;
  readonly #runId = newRunId();
  #command: EngineCommand | undefined;
  #config: ConfigReader = () => undefined;
  #isWatching = false;
  readonly #settings = new Map<string | undefined, Settings>();
  readonly #accounts = new Map<string | undefined, Account>();
  /** How Ctrl+C and the end of the engine reach everything that runs here. */
  readonly cancellation = new Cancellation(() => this.#accounts.values());
  readonly #marks = new Map<string, string>();
  readonly #origins = new KnownOrigins();
  /** Notes that the verbs of this process share, by scope. A process serves one run. */
  readonly #runs = new Map<string, RunNotes>();
  #retryShownAt = Number.NEGATIVE_INFINITY;
  /** Ids of the resources that were read, by URN. A resource and its predecessor can have the same URN. */
  readonly #seenInRefresh = new Map<unknown, Set<string>>();
  /** The resources that the program has declared, by URN, and whether their inputs had unknown values. */
  readonly #checked = new Map<unknown, boolean>();

  constructor(modules: () => EngineModules) {
    this.engine = new EngineLink(process.argv[2] ?? "", modules);
    this.nonce = noncesOf(this.#runId);
  }

  /** The command that runs. Looked up on demand, because most runs need not know it. */
  get command(): EngineCommand {
    this.#command ??= engineCommand();
    return this.#command;
  }

  /** The id of this run, which begins its nonces, and its start; `undefined` if the state cannot record it: with a plan. */
  get runRecord(): string | undefined {
    return this.command.usesPlan ? undefined : this.#runId + this.startMark;
  }

  /** When this run was started, as the state records it. A plan has the same inputs in its preview and in its run. */
  get startMark(): string {
    return this.command.usesPlan ? "" : startMark(this.startedAt);
  }

  /** When this process was started, by the machine's clock, in milliseconds since 1970. */
  get startedAt(): number {
    return Math.floor(performance.timeOrigin);
  }

  now(): number {
    return Date.now();
  }

  configure(config: ConfigReader): void {
    this.#config = config;
    this.watch();
  }

  /** Ends this process when the engine is gone: nothing would record a key that is created from then on. */
  watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.engine.watch(() => void this.cancellation.endWithoutEngine().finally(() => process.exit(1)));
  }

  /** The account's settings. Each call throws a `ConfigError` if they are missing or invalid. */
  settings(account: string | undefined): Settings {
    return getOrCreate(this.#settings, account, () => resolveSettings(this.#config, process.env, account));
  }

  /** Short text that distinguishes the account of a scope, and its address, from others. Throws as `settings` does. */
  accountMark(scope: Scope): string {
    return getOrCreate(this.#marks, scopeKey(scope), () => {
      const { baseUrl, apiKey } = this.settings(scope.account);
      return accountMark({ baseUrl, apiKey, organizationId: scope.organizationId });
    });
  }

  /** Records where the state of a resource says that its account is. */
  noteRecorded(state: Outputs): void {
    this.#origins.note(scopeOf(state).account, state.identity ?? state.owner);
  }

  /** Why the credential of a scope's account must not be sent; `undefined` if it may be. */
  refusedOrigin(scope: Scope): NewAddressError | undefined {
    const { account } = scope;
    return this.#origins.refusal(account, () => ({ settings: this.settings(account), mark: this.accountMark(scope) }));
  }

  /** The former names of the stack. Unlike the account's settings, they can always be read. */
  renamedFrom(): readonly string[] {
    return renamedFromIn(this.#config);
  }

  /** Every configured credential, by the name of its setting. */
  credentials(): ReadonlyMap<string, string> {
    return credentialsIn(this.#config);
  }

  /**
   * The account of a scope: every request of this process goes through here. Throws `KP-WRONG-ACCOUNT` if its address is
   * new to the stack. Loads its code at the first call, because a run that changes nothing does not need it.
   */
  account(scope: Scope): Account {
    const refusal = this.refusedOrigin(scope);
    if (refusal !== undefined) throw refusal;
    const { account: name } = scope;
    return getOrCreate(this.#accounts, name, () => {
      const api = require("../api/account") as typeof import("../api/account");
      const account = api.Account.for(this.settings(name));
      account.onRetry = (retry) => this.#showRetry(name, retry);
      // Its requests can be shared by resources, so its warnings belong to none.
      account.onWarning = (text) => this.engine.log("", "warning", text);
      this.cancellation.applyTo(account);
      return account;
    });
  }

  /** Shows a retry in the rows of all verbs of an account, because they share its limits and some of its requests. */
  #showRetry(name: string | undefined, { route, outcome, attempt, pauseMs }: Retry): void {
    const now = performance.now();
    if (now - this.#retryShownAt < RETRY_SHOWN_EVERY_MS) return;
    this.#retryShownAt = now;
    const pause = pauseMs < 1_000 ? "" : ` in ${formatDuration(pauseMs)}`;
    const text = `${route}: ${outcome}, attempt ${attempt}${pause}`;
    for (const { scope, progress } of this.cancellation.running) if (scope.account === name) progress(text);
  }

  runOf(scope: Scope): RunNotes {
    return getOrCreate(this.#runs, scopeKey(scope), () => new RunNotes());
  }

  /** Records that a resource was read: its next `diff` belongs to a refresh, unless a `check` comes first. */
  noteRead(id: string, urn: unknown): void {
    getOrCreate(this.#seenInRefresh, urn, () => new Set<string>()).add(id);
  }

  noteCheck(urn: unknown, inputs: Planned<Given>): void {
    this.#checked.set(urn, hasUnknown(inputs));
    this.#seenInRefresh.delete(urn);
  }

  /** Whether the program has declared the resource by now. Otherwise its inputs are those in the state. */
  isChecked(urn: unknown): boolean {
    return this.#checked.has(urn);
  }

  /** Whether the engine compares inputs of the state with unknown ones. The program's have some only if `check` answered them. */
  isSupposed(urn: unknown, inputs: Planned<Given>): boolean {
    return this.#checked.get(urn) !== true && hasUnknown(inputs);
  }

  /** Whether a `diff` of the resource belongs to a refresh. True once for each read. */
  takeRefresh(id: string, urn: unknown): boolean {
    return this.#seenInRefresh.get(urn)?.delete(id) ?? false;
  }
}
