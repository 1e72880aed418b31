import type { Account } from "../api/account";
import { formatDuration } from "../duration";
import { AbortedError } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Retry } from "../http";
import { accountFingerprint } from "../keys/account-fingerprint";
import { type Scope, scopeKey } from "../keys/scope";
import { newRunNotes, type RunNotes } from "../schema/resource-type";
import { type ConfigReader, credentialsIn, resolveSettings, type Settings } from "../settings/settings";
import { EngineLink, type EngineModules } from "./engine-link";

/** Minimum time between two retries that are shown, in milliseconds. Under load there can be hundreds. */
const RETRY_SHOWN_EVERY_MS = 1_000;

/**
 * What all resources of this process share, in Pulumi's dynamic host and in the plugin. The host configures each
 * resource type separately, and starts the second call before the first configuration is done. So `configure` only
 * stores the config. Everything else is created, and can fail, in the call that needs it.
 */
export class Session {
  readonly engine: EngineLink;
  #config: ConfigReader = () => undefined;
  #isWatching = false;
  /** Set once the run is cancelled. */
  #cancelled: AbortedError | undefined;
  /** By the name of the account. */
  readonly #settings = new Map<string | undefined, Settings>();
  readonly #accounts = new Map<string | undefined, Account>();
  /** By scope. */
  readonly #fingerprints = new Map<string, string>();
  /** Notes that the verbs of this process share, by scope. A process serves one run. */
  readonly #runs = new Map<string, RunNotes>();
  readonly #underWay = new Set<{ readonly account: string | undefined; readonly show: (text: string) => void }>();
  #retryShownAt = Number.NEGATIVE_INFINITY;
  /** Ids of the resources that were read, by URN. A resource and its predecessor can have the same URN. */
  readonly #seenInRefresh = new Map<unknown, Set<string>>();

  /** @param modules - Loads Pulumi's modules for calls to the engine. */
  constructor(modules: () => EngineModules) {
    this.engine = new EngineLink(process.argv[2] ?? "", modules);
  }

  /** The local wall clock, in milliseconds. */
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
    this.engine.watch(() => process.exit(1));
  }

  /** Ends all waits. Changes that were already sent complete, and the engine records them. */
  cancel(): void {
    this.#cancelled ??= new AbortedError("the run was cancelled");
    for (const account of this.#accounts.values()) account.abort(this.#cancelled);
  }

  /** The account's settings. Each call throws a `ConfigError` if they are missing or invalid. */
  settings(account: string | undefined): Settings {
    return getOrCreate(this.#settings, account, () => resolveSettings(this.#config, process.env, account));
  }

  /** Short text that distinguishes the account of a scope from others. Throws as `settings` does. */
  fingerprint(scope: Scope): string {
    return getOrCreate(this.#fingerprints, scopeKey(scope), () => {
      const { baseUrl, apiKey } = this.settings(scope.account);
      return accountFingerprint({ baseUrl, apiKey, organizationId: scope.organizationId });
    });
  }

  /** Every configured credential, by the name of its setting. */
  credentials(): ReadonlyMap<string, string> {
    return credentialsIn(this.#config);
  }

  /** Returns the account. Loads its code at the first call, because a run that changes nothing does not need it. */
  account(name: string | undefined): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      const api = require("../api/account") as typeof import("../api/account");
      account = api.Account.for(this.settings(name));
      account.onRetry = (retry) => this.#showRetry(name, retry);
      if (this.#cancelled !== undefined) account.abort(this.#cancelled);
      this.#accounts.set(name, account);
    }
    return account;
  }

  /** Registers a running verb, so that its row shows what the account waits for. Returns a function that ends this. */
  began(account: string | undefined, show: (text: string) => void): () => void {
    const verb = { account, show };
    this.#underWay.add(verb);
    return () => this.#underWay.delete(verb);
  }

  /** Shows a retry in the rows of all verbs of an account, because they share its limits and some of its requests. */
  #showRetry(name: string | undefined, { route, outcome, attempt, pauseMs }: Retry): void {
    const now = performance.now();
    if (now - this.#retryShownAt < RETRY_SHOWN_EVERY_MS) return;
    this.#retryShownAt = now;
    const pause = pauseMs < 1_000 ? "" : ` in ${formatDuration(pauseMs)}`;
    const text = `${route}: ${outcome}, attempt ${attempt}${pause}`;
    for (const { account, show } of this.#underWay) if (account === name) show(text);
  }

  /** The notes that the verbs of resources in this scope share. */
  runOf(scope: Scope): RunNotes {
    return getOrCreate(this.#runs, scopeKey(scope), newRunNotes);
  }

  /** Records that a resource was read: its next `diff` belongs to a refresh, unless a `check` comes first. */
  noteRead(id: string, urn: unknown): void {
    this.#seenInRefresh.set(urn, (this.#seenInRefresh.get(urn) ?? new Set()).add(id));
  }

  noteCheck(urn: unknown): void {
    this.#seenInRefresh.delete(urn);
  }

  /** Whether a `diff` of the resource belongs to a refresh. True once for each read. */
  takeRefresh(id: string, urn: unknown): boolean {
    return this.#seenInRefresh.get(urn)?.delete(id) ?? false;
  }
}
