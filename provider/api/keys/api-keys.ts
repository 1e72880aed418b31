import { ApiError, type ErrorFacts, isApiError, KeyplaneError, messageOf } from "../../errors";
import type { Clock, HttpAnswer, HttpClient } from "../../http";
import { checkId } from "../../ids";
import { keyIn } from "../../key-index";
import { conceal } from "../../secrets";
import type { ApiKeyRecord, CreatedKey, ReadOptions } from "../records";
import { SharedRead } from "../shared-read";
import { checkRevoked } from "./check-revoked";
import type { KeyList } from "./key-list";
import { readCreatedKey } from "./read-created-key";
import { readKeys } from "./read-keys";

/** A call that the service has always had and that a key of any kind may make. */
const PROBE = "GET /projects";

/** How long a key just made may be unknown to the service's other parts: pauses between probes, in milliseconds. */
const PROBE_PAUSES_MS = [500, 1000, 2000, 4000];

/** The service's words about a name in use; the status for it is not documented. */
const NAME_TAKEN = /unique name|already (exists|in use|taken)|duplicate/i;

/** How the list of keys is read. */
export interface ListKeysOptions extends ReadOptions {
  /**
   * Takes only a list that is sent from now on. @default false: one that was sent after this process last created a key,
   * however old. A key that is absent from it is gone for good, because ids never come back. A key in it may have been
   * revoked by somebody else since.
   */
  readonly fresh?: boolean | undefined;
  /**
   * Takes also a list from before this process last created a key, if it is no older than 30 seconds. It shows how keys
   * were used, but does not prove that one is gone.
   * @default false
   */
  readonly recent?: boolean | undefined;
}

/** How a key is made. */
export interface CreateKeyOptions extends ReadOptions {
  /** Limits a key of an organization to this project. @default the whole organization */
  readonly projectId?: string | undefined;
}

/** How a key is revoked. */
export interface RevokeKeyOptions extends ReadOptions {
  /** Whether a list lacks the key: where the service does not know its id either, it is gone. @default false */
  readonly unlisted?: boolean | undefined;
}

/** The API keys of an account, or of an organization in it. */
export class Keys {
  readonly #list: SharedRead<readonly ApiKeyRecord[]>;
  /** Ids of the keys that this process has revoked: lists from before still hold them. */
  readonly #revoked = new Set<string>();
  /** The last list without them. Each of many reads is given the same one, for it is searched by an index. */
  #liveList: {
    readonly of: readonly ApiKeyRecord[];
    readonly revoked: number;
    readonly keys: readonly ApiKeyRecord[];
  } = { of: [], revoked: 0, keys: [] };

  constructor(
    private readonly at: KeyList,
    private readonly http: HttpClient,
    private readonly clock: Clock,
    private readonly onAnswer: (answer: HttpAnswer) => void,
    private readonly warn: (message: string) => void,
  ) {
    this.#list = new SharedRead(clock, async (onSend, signal) => {
      const answer = await http.request({
        method: "GET",
        route: at.routes.list,
        path: at.path,
        replay: "safe",
        onSend,
        signal,
      });
      onAnswer(answer);
      return readKeys(at.routes.list, answer, at.holdsCaller);
    });
  }

  /**
   * Makes a key (`POST` on the list); its secret is in this answer and nowhere else.
   * Throws `AnswerLostError` if it may have been made without our having its secret: the caller has to settle that by
   * the list, never by asking again for the same name. Throws an `ApiError` of kind `conflict` if the name is taken.
   */
  async create(name: string, options: CreateKeyOptions = {}): Promise<CreatedKey> {
    const { path, routes, createsPerSecond } = this.at;
    const { projectId } = options;
    const limitedTo = projectId === undefined ? {} : { project_id: checkId("project", projectId, "projectId") };
    this.#list.created();
    try {
      const answer = await this.http.request({
        method: "POST",
        route: routes.create,
        path,
        body: { key_name: name, ...limitedTo },
        replay: "once",
        perSecond: createsPerSecond,
        signal: options.signal,
      });
      this.onAnswer(answer);
      return readCreatedKey(answer, { route: routes.create, name, warn: this.warn, now: () => this.clock.now() });
    } catch (error) {
      throw nameConflict(error) ?? error;
    } finally {
      this.#list.created();
    }
  }

  /**
   * All live keys (`GET` on the list), newest first. Callers at the same time share one request. A list that lacks the
   * key that asked, holds an id twice or has another shape is a `BadAnswerError`, never an absence.
   */
  async list(options: ListKeysOptions = {}): Promise<readonly ApiKeyRecord[]> {
    const { fresh, recent, signal } = options;
    return this.#live(
      await (recent ? this.#list.recent(signal) : fresh ? this.#list.fresh(signal) : this.#list.get(signal)),
    );
  }

  /**
   * The key of this id, for its name, which never changes for an id: from the last list of this process, or from another one
   * if that does not hold it. `undefined` if the key is gone.
   */
  async find(id: string, options: ReadOptions = {}): Promise<ApiKeyRecord | undefined> {
    if (this.#revoked.has(id)) return undefined;
    const { latest } = this.#list;
    const found = (latest && keyIn(latest, id)) ?? keyIn(await this.#list.get(options.signal), id);
    return this.#revoked.has(id) ? undefined : found;
  }

  /**
   * The list as another key of the account gets it (`GET` on the list, with that key), in which its own use shows at
   * once. `undefined` where the service does not accept the key.
   */
  async listAs(key: string, options: ReadOptions = {}): Promise<ApiKeyRecord[] | undefined> {
    conceal(key);
    const { path, routes } = this.at;
    try {
      const request = { method: "GET", route: routes.list, path, credential: key, replay: "safe" } as const;
      return readKeys(routes.list, await this.http.request({ ...request, signal: options.signal }), true);
    } catch (error) {
      if (isApiError(error) && error.status === 401) return undefined;
      throw error;
    }
  }

  /**
   * Revokes a key (`DELETE` on its id in the list), at once and for good. `absent` if there was none of that id.
   * An answer that leaves it open is settled by a list sent afterwards: only absence from it counts as done.
   */
  async revoke(id: string, options: RevokeKeyOptions = {}): Promise<"revoked" | "absent"> {
    const { signal, unlisted = false } = options;
    const route = this.at.routes.revoke;
    const path = `${this.at.path}/${checkId("apiKey", id, "id")}`;
    let outcome: "revoked" | "absent" = "revoked";
    try {
      const answer = await this.http.request({ method: "DELETE", route, path, replay: "safe", signal });
      this.onAnswer(answer);
      checkRevoked(route, id, answer);
    } catch (error) {
      if (!(error instanceof KeyplaneError)) throw error;
      // Two answers, to different questions, that there is no such key.
      const isAbsent = unlisted && error.kind === "not_found";
      outcome = isAbsent ? "absent" : await this.#settleRevoke(id, error, signal);
    }
    this.#revoked.add(id);
    return outcome;
  }

  /**
   * Whether the key is accepted by the service: one request with it, which makes it a used key. A refusal is asked
   * again for some seconds, for a new key may take a moment to be known everywhere.
   */
  async authenticates(key: string, options: ReadOptions & { readonly isNew?: boolean } = {}): Promise<boolean> {
    conceal(key);
    const { isNew = true } = options;
    for (const pause of [...(isNew ? PROBE_PAUSES_MS : []), undefined]) {
      try {
        await this.http.request({
          method: "GET",
          route: PROBE,
          path: "/projects",
          query: { limit: 1 },
          credential: key,
          replay: "safe",
          signal: options.signal,
        });
        return true;
      } catch (error) {
        if (!isApiError(error) || error.kind === "rate_limit" || (error.status ?? 0) >= 500) throw error;
        // Any other refusal comes from somebody who knows who is asking.
        if (error.status !== 401) return true;
        if (pause !== undefined) await this.http.sleep(pause, options.signal);
      }
    }
    return false;
  }

  async #settleRevoke(
    id: string,
    trouble: KeyplaneError,
    signal: AbortSignal | undefined,
  ): Promise<"revoked" | "absent"> {
    const { kind, status = 0 } = trouble;
    const lostBefore = isApiError(trouble) && trouble.afterLost;
    const open = kind === "transport" || kind === "timeout" || kind === "bad_answer" || status === 408 || status >= 500;
    const refused = kind === "api" || kind === "not_found" || kind === "conflict";
    if (!open && !(refused && status >= 400)) throw trouble;
    let keys: readonly ApiKeyRecord[];
    try {
      keys = await this.list({ fresh: true, signal });
    } catch (error) {
      throw new KeyplaneError(trouble.code, `${trouble.message} And the list of keys: ${messageOf(error)}`, trouble);
    }
    if (keys.some((each) => each.id === id)) throw trouble;
    // Only an organization's list can be empty, and that proves nothing by itself.
    if (open && keys.length === 0) throw trouble;
    return open || lostBefore ? "revoked" : "absent";
  }

  /** A list without the keys that this process has revoked since. */
  #live(keys: readonly ApiKeyRecord[]): readonly ApiKeyRecord[] {
    const { size } = this.#revoked;
    if (size === 0) return keys;
    if (this.#liveList.of !== keys || this.#liveList.revoked !== size) {
      this.#liveList = { of: keys, revoked: size, keys: keys.filter(({ id }) => !this.#revoked.has(id)) };
    }
    return this.#liveList.keys;
  }
}

function nameConflict(error: unknown): ApiError | undefined {
  if (!isApiError(error) || error.kind !== "api") return undefined;
  if (!NAME_TAKEN.test(error.serviceMessage)) return undefined;
  const facts: ErrorFacts = { status: error.status, requestId: error.requestId, route: error.route };
  return new ApiError("conflict", error.message, facts, error.serviceMessage);
}
