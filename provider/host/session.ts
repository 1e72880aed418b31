import type { Account } from "../api/account";
import { AbortedError } from "../errors";
import type { RunNotes } from "../resources";
import { type ConfigReader, resolveSettings, type Settings } from "../settings";
import { EngineLink } from "./engine-link";

/**
 * What all resources of this process share. Pulumi configures each kind of resource on its own, and starts the second
 * call before the first one's configuration is done: so `configure` only stores the config, and everything else is
 * made, and can fail, in the call that needs it.
 */
class Session {
  readonly engine = new EngineLink(process.argv[2] ?? "");
  #config: ConfigReader = () => undefined;
  #settings: Settings | undefined;
  #account: Account | undefined;
  /** What the verbs of this process tell each other: a process serves one run. */
  readonly run: RunNotes = { hasProgram: false, held: new Set() };
  /** Those that were read, by id, and their ids by URN: a resource and its predecessor can share one. */
  readonly #seenInRefresh = new Map<string, unknown>();
  readonly #idsSeen = new Map<unknown, Set<string>>();

  configure(config: ConfigReader): void {
    this.#config = config;
    this.engine.watch(() => {
      this.#account?.abort(new AbortedError("the engine is gone"));
      // Nobody is left to record what this process does: a key made from here on would be lost.
      process.exit(1);
    });
  }

  /** Throws a `ConfigError`, anew at each call, where the settings are missing or wrong. */
  settings(): Settings {
    this.#settings ??= resolveSettings(this.#config);
    return this.#settings;
  }

  /** Loads what talks to the service when it is first asked for: a run that changes nothing never does. */
  account(): Account {
    if (this.#account === undefined) {
      const api = require("../api/account") as typeof import("../api/account");
      this.#account = api.Account.for(this.settings());
    }
    return this.#account;
  }

  /** Notes that a resource was read: the next `diff` of it belongs to a refresh, unless a `check` comes first. */
  noteRead(id: string, urn: unknown): void {
    this.#seenInRefresh.set(id, urn);
    this.#idsSeen.set(urn, (this.#idsSeen.get(urn) ?? new Set()).add(id));
  }

  noteCheck(urn: unknown): void {
    this.run.hasProgram = true;
    for (const id of this.#idsSeen.get(urn) ?? []) {
      if (this.#seenInRefresh.get(id) === urn) this.#seenInRefresh.delete(id);
    }
    this.#idsSeen.delete(urn);
  }

  /** Whether a `diff` of the resource is a refresh's; answers so once for each read. */
  takeRefresh(id: string): boolean {
    return this.#seenInRefresh.delete(id);
  }
}

/** The one session of this process. */
export const session = new Session();
