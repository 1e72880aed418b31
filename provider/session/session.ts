import type { Account } from "../api/account";
import { formatDuration } from "../duration";
import { AbortedError, type ErrorCode, isKeyplaneError, KeyplaneError } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Retry } from "../http";
import type { Log } from "../keys/call";
import { accountFingerprint } from "../keys/fingerprint";
import { type KeyList, KeyMemory } from "../keys/key-list";
import { shownResource } from "../keys/naming";
import { type Scope, scopeKey, scopeOf } from "../keys/scope";
import type { Members } from "../members";
import { type ConfigReader, credentialsIn, resolveSettings, type Settings } from "../settings/settings";
import { Stack } from "../stack/stack";
import { EngineLink, type EngineModules } from "./engine-link";
import { LongWaits } from "./long-waits";
import { RunSoFar } from "./run-so-far";
import { leaveSignalsToEngine, OpenCalls } from "./signals";

/** Minimum time between two retries that are shown, in milliseconds. Under load there can be hundreds. */
const RETRY_SHOWN_EVERY_MS = 1_000;

/**
 * What all resources of this process share, in Pulumi's dynamic host and in the plugin. The host configures each
 * resource type separately, and starts the second call before the first configuration is done. So `configure` only
 * stores the config. Everything else is created, and can fail, in the call that needs it.
 */
export class Session {
  readonly engine: EngineLink;
  /** The stack's own state and history. */
  readonly stack = new Stack();
  readonly longWaits = new LongWaits();
  /** The calls that are under way. */
  readonly running = new Set<{ readonly keyList: KeyList; readonly log: Log }>();
  readonly soFar = new RunSoFar();
  readonly calls = new OpenCalls();
  #config: ConfigReader = () => undefined;
  #isConfigured = false;
  #isWatching = false;
  #cancelled: AbortedError | undefined;
  readonly #settings = new Map<string | undefined, Settings>();
  readonly #accounts = new Map<string | undefined, Account>();
  readonly #memories = new Map<string, KeyMemory>();
  readonly #keyLists = new Map<string, KeyList>();
  #retryShownAt = Number.NEGATIVE_INFINITY;

  constructor(modules: () => EngineModules) {
    this.engine = new EngineLink(process.argv[2] ?? "", modules);
  }

  /** The time for checks and differences, in milliseconds since 1970. Tests set it. */
  now(): number {
    return Date.now();
  }

  /** @param onCancel - Registers what Ctrl+C does; called once. @default nothing is registered */
  configure(config: ConfigReader, onCancel: (cancel: () => void) => void = () => {}): void {
    this.#config = config;
    if (!this.#isConfigured) onCancel(() => this.cancel());
    this.#isConfigured = true;
    this.watch();
  }

  /** Ends this process when the engine is gone, because nothing would record what it does from then on, and not before. */
  watch(): void {
    if (this.#isWatching || !this.engine.isGiven) return;
    this.#isWatching = true;
    this.engine.watch(() => process.exit(1));
    leaveSignalsToEngine(this.calls);
  }

  /** Ends all waits, on Ctrl+C. Changes that were already sent complete, and the engine records them. */
  cancel(): void {
    this.#cancelled ??= new AbortedError("the run was cancelled");
    for (const account of this.#accounts.values()) account.abort(this.#cancelled);
  }

  /** The account's settings. Each call throws a `ConfigError` if they are missing or invalid. */
  settings(account: string | undefined): Settings {
    return getOrCreate(this.#settings, account, () => resolveSettings(this.#config, process.env, account));
  }

  /** The same for a check. Only the first resource gets the whole error, and the others refer to it. */
  settingsFor(urn: string, account: string | undefined): Settings {
    try {
      return this.settings(account);
    } catch (error) {
      if (!isKeyplaneError(error)) throw error;
      const first = this.soFar.claim(urn, `settings of ${account ?? ""}`);
      throw first === undefined ? error : referringTo(first, error.code);
    }
  }

  /** Every configured credential, by the name of its setting. */
  credentials(): ReadonlyMap<string, string> {
    return credentialsIn(this.#config);
  }

  /** Loads its code at the first call, because a run that changes nothing does not need it. */
  account(name: string | undefined): Account {
    return getOrCreate(this.#accounts, name, () => {
      const api = require("../api/account") as typeof import("../api/account");
      const account = api.Account.for(this.settings(name));
      account.onRetry = (retry) => this.#showRetry(account, retry);
      // Its requests can be shared by resources, so its warnings belong to none.
      account.onWarning = (text) => this.engine.log("", "warning", text);
      if (this.#cancelled !== undefined) account.abort(this.#cancelled);
      return account;
    });
  }

  /** The list of keys of a scope. Throws a `ConfigError` if the settings are missing or invalid. */
  keyList(scope: Scope): KeyList {
    return getOrCreate(this.#keyLists, scopeKey(scope), () => {
      const { organizationId } = scope;
      const [settings, account] = [this.settings(scope.account), this.account(scope.account)];
      const { baseUrl, apiKey } = settings;
      const fingerprint = accountFingerprint({ baseUrl, apiKey, organizationId });
      return {
        scope,
        settings,
        account,
        keys: account.keysOf(organizationId),
        memory: this.#memory(scope),
        fingerprint,
      };
    });
  }

  /** What this process remembers of the list of keys of a scope. */
  #memory(scope: Scope): KeyMemory {
    return getOrCreate(this.#memories, scopeKey(scope), () => new KeyMemory());
  }

  /** Remembers a resource as the engine shows it: its keys are no orphans, and its state is this stack's. */
  remember(urn: string, id: string, outputs: Members): void {
    this.#memory(scopeOf(outputs)).remember(outputs);
    const { __suffix: suffix, __organization: organization } = outputs;
    if (typeof suffix === "string") this.stack.remember(urn, suffix, id);
    if (typeof organization === "string") this.stack.rememberOrganization(organization);
  }

  /** Shows a retry in the rows of all calls of an account, because they share its limits and some of its requests. */
  #showRetry(account: Account, { route, outcome, attempt, pauseMs }: Retry): void {
    const now = performance.now();
    if (now - this.#retryShownAt < RETRY_SHOWN_EVERY_MS) return;
    this.#retryShownAt = now;
    const pause = pauseMs < 1_000 ? "" : ` in ${formatDuration(pauseMs)}`;
    const text = `${route}: ${outcome}, attempt ${attempt}${pause}`;
    for (const { keyList, log } of this.running) if (keyList.account === account) log.progress(text);
  }
}

function referringTo(urn: string, code: ErrorCode): KeyplaneError {
  return new KeyplaneError(code, `see the error of ${shownResource(urn)}`);
}
