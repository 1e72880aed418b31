import { ApiError, isApiError, isKeyplaneError, KeyplaneError, messageOf } from "../../errors";
import { getOrCreate } from "../../get-or-create";
import type { Clock, HttpAnswer, HttpClient, HttpRequest } from "../../http";
import { isInconclusive, isRefusal } from "../../http/statuses";
import { checkId, keyIdOf } from "../../ids";
import { keyIn } from "../../key-index";
import { conceal } from "../../secrets";
import { Reader } from "../reader";
import type { ApiKeyRecord, CreatedKey, ReadOptions } from "../records";
import { AskedProjects } from "./asked-projects";
import type { KeyEndpoint } from "./key-endpoint";
import type { SaidProject } from "./project-of-key";
import { readCreatedKey } from "./read-created-key";
import { readKeys } from "./read-keys";
import { SharedList } from "./shared-list";

/** A call that every version of the service has and that every kind of key may make. */
const PROBE = "GET /projects";

/**
 * Pauses between looks, in milliseconds. A new key, or the revocation of one, may take this long to become known to the
 * whole service.
 */
const SETTLE_PAUSES_MS = [500, 1000, 2000, 4000];

/** How long a refused list answers for others, in milliseconds. A later run of the process can have the permission. */
const REFUSED_MS = 30_000;

/** The service's message for a name in use; its status is not documented. */
const NAME_TAKEN = /unique name|already (exists|in use|taken)|duplicate/i;

interface ListKeysOptions extends ReadOptions {
  /**
   * Requests a new list, instead of reusing any list that was requested after this process last created a key. A key
   * that is absent from either is gone, because ids are never reused. A key in a reused list may have been revoked
   * since.
   * @default false
   */
  readonly fresh?: boolean | undefined;
  /**
   * Also accepts a list from before this process last created a key, if it is at most 30 seconds old. Such a list shows
   * how keys were used, but does not prove that a key is gone.
   * @default false
   */
  readonly recent?: boolean | undefined;
}

/** What a resource wants of a new key, as far as the service has it: the inputs of these names. */
interface WantedKey {
  /** The only project that the key can access. */
  readonly projectId?: string | undefined;
}

interface RevokeKeyOptions extends ReadOptions {
  /**
   * Whether a list lacks the key. Then the key is gone only if the service refuses its id, too.
   * @default false
   */
  readonly unlisted?: boolean | undefined;
}

/** Whether a list shows the use of any key. */
const uses = new WeakMap<readonly ApiKeyRecord[], boolean>();

/** The API keys of an account, or of an organization in it. */
export class Keys {
  readonly #list: SharedList<readonly ApiKeyRecord[]>;
  /** Ids of keys that this process has revoked, or found gone. Older lists still contain them. */
  readonly #revoked = new Set<string>();
  /** Their names, as far as a list has shown them. */
  readonly #revokedNames = new Set<string>();
  /** Revocations that are under way or have revoked a key, by the key's id. */
  readonly #revocations = new Map<string, Promise<"revoked" | "absent">>();
  readonly #asked: AskedProjects;
  #isAccepted = false;
  /** Why the service refused the credential, and when, if it never accepted it. All reads of a run get this answer. */
  #refusal: { readonly error: ApiError; readonly time: number } | undefined;

  constructor(
    private readonly at: KeyEndpoint,
    private readonly http: HttpClient,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {
    this.#asked = new AskedProjects(at.routes, warn);
    this.#list = new SharedList(clock, (onSend, signal) => this.#read(onSend, signal));
  }

  /**
   * Creates a key (`POST` on the list), in an organization also limited to a project. Only this answer contains the secret.
   * Throws `AnswerLostError` if the key may exist but its secret is unknown: the caller must check the list before it
   * requests the same name again. Throws an `ApiError` of kind `conflict` if the name is taken, and an `OtherKeyError` if
   * the new key has another project scope than requested: the caller must revoke it. Warns if the service does not say it.
   */
  async create(name: string, { projectId }: WantedKey = {}): Promise<CreatedKey> {
    const { path, routes, createsPerSecond } = this.at;
    const limitedTo = projectId === undefined ? {} : { project_id: checkId("project", projectId, "projectId") };
    const answer = await this.#post({
      method: "POST",
      route: routes.create,
      path,
      body: { key_name: name, ...limitedTo },
      replay: "once",
      perSecond: createsPerSecond,
    });
    const { warn } = this;
    const created = readCreatedKey(answer, { route: routes.create, name, warn, now: () => this.clock.now() });
    const { status, requestId } = answer;
    const facts = { status, requestId, route: routes.create };
    await this.#asked.mustBeAsAsked(created, projectId, facts, () => this.#listedProject(created.id));
    return created;
  }

  async #post(request: HttpRequest): Promise<HttpAnswer> {
    this.#list.rememberCreation();
    try {
      const answer = await this.http.request(request);
      this.#isAccepted = true;
      return answer;
    } catch (error) {
      throw nameConflict(error) ?? error;
    } finally {
      this.#list.rememberCreation();
    }
  }

  /** What a list says of the project of a new key, once it has the key. Says nothing if the list cannot be read. */
  async #listedProject(id: string): Promise<SaidProject> {
    try {
      let found = keyIn(await this.#list.get(), id);
      for (const pause of SETTLE_PAUSES_MS) {
        if (found !== undefined) break;
        await this.http.sleep(pause);
        found = keyIn(await this.#list.fresh(undefined), id);
      }
      return found?.projectId;
    } catch (error) {
      // The key exists. An error would lose it.
      if (!isKeyplaneError(error)) throw error;
      return undefined;
    }
  }

  /**
   * All live keys (`GET` on the list), newest first. Concurrent callers share one request. If the service refuses the
   * first list of a credential that it has not accepted yet, that answer serves all callers of the process. Throws a
   * `BadAnswerError` if the list lacks the key that made the request, contains an id twice or is malformed: such a list
   * does not prove that a key is gone.
   */
  async list(options: ListKeysOptions = {}): Promise<readonly ApiKeyRecord[]> {
    const keys = await this.#shared(options);
    return this.#revoked.size === 0 ? keys : keys.filter(({ id }) => !this.#revoked.has(id));
  }

  /**
   * The key with this id in the same list; `undefined` if the list lacks it, or this process has revoked it. The list is
   * indexed once, because a copy of it for each of thousands of calls takes quadratic time.
   */
  async find(id: string, options: ListKeysOptions = {}): Promise<ApiKeyRecord | undefined> {
    const found = keyIn(await this.#shared(options), id);
    return this.#revoked.has(id) ? undefined : found;
  }

  /** Whether a recent list shows the use of any key. */
  async showsUses(): Promise<boolean> {
    const keys = await this.#list.recent(undefined);
    return getOrCreate(uses, keys, () => keys.some(({ lastUsedAt }) => lastUsedAt !== null));
  }

  #shared({ fresh, recent, signal }: ListKeysOptions): Promise<readonly ApiKeyRecord[]> {
    return recent ? this.#list.recent(signal) : fresh ? this.#list.fresh(signal) : this.#list.get(signal);
  }

  /**
   * A new list, which proves revocations: it has what the service lists, also keys that this process has revoked. Looks
   * again for some seconds while it has one of these keys, because it can lag behind.
   */
  async listWithout(gone: readonly string[], signal?: AbortSignal): Promise<readonly ApiKeyRecord[]> {
    let keys = await this.#list.fresh(signal);
    for (const pause of SETTLE_PAUSES_MS) {
      if (!gone.some((id) => keyIn(keys, id) !== undefined)) break;
      await this.http.sleep(pause, signal);
      keys = await this.#list.fresh(signal);
    }
    return keys;
  }

  /** Remembers that a key is gone, although this process has not revoked it: nothing looks for it any more. */
  rememberGone(id: string): void {
    this.#revoked.add(id);
  }

  /** Whether this process has revoked the key, or knows that it is gone. */
  hasRevoked(id: string): boolean {
    return this.#revoked.has(id);
  }

  /** Whether this process has revoked a key of this name. The service can keep the name for some seconds. */
  hasRevokedName(name: string): boolean {
    return this.#revokedNames.has(name);
  }

  /**
   * The key with this id, from the last list of this process, or from a later one if that lacks the key. An old list is
   * good enough, because the name of an id never changes. `undefined` if the key is gone.
   */
  async findInAny(id: string): Promise<ApiKeyRecord | undefined> {
    if (this.#revoked.has(id)) return undefined;
    return keyIn(this.#list.latest ?? [], id) ?? this.find(id);
  }

  /**
   * Lists the keys with another key of the account (`GET` on the list). The list shows that key's use at once. Returns
   * `undefined` if the service does not accept the key.
   */
  async listAs(key: string): Promise<ApiKeyRecord[] | undefined> {
    conceal(key);
    const { path, routes } = this.at;
    try {
      const request = { method: "GET", route: routes.list, path, credential: key, replay: "safe" } as const;
      return readKeys(routes.list, await this.http.request(request), { holdsCaller: true });
    } catch (error) {
      if (isApiError(error) && error.status === 401) return undefined;
      throw error;
    }
  }

  /**
   * Revokes a key (`DELETE` on its id in the list), immediately and permanently. Returns `absent` if it is not found.
   * If the answer is unclear, a new list decides: the key is revoked only if the list lacks it. If the service does not
   * find the key, but lists it, looks again for some seconds. Callers for the same key share one request, and with it
   * the signal of the first.
   */
  async revoke(id: string, options: RevokeKeyOptions = {}): Promise<"revoked" | "absent"> {
    return getOrCreate(this.#revocations, id, async () => {
      try {
        const outcome = await this.#revoke(id, options);
        // One that was not found can be a new key that is not known everywhere yet, and appear later.
        if (outcome === "absent") return outcome;
        this.#revoked.add(id);
        const name = keyIn(this.#list.latest ?? [], id)?.name;
        if (name !== undefined) this.#revokedNames.add(name);
        return outcome;
      } finally {
        if (!this.#revoked.has(id)) this.#revocations.delete(id);
      }
    });
  }

  async #revoke(id: string, { signal, unlisted = false }: RevokeKeyOptions): Promise<"revoked" | "absent"> {
    const route = this.at.routes.revoke;
    const path = `${this.at.path}/${checkId("apiKey", id, "id")}`;
    try {
      const answer = await this.http.request({ method: "DELETE", route, path, replay: "safe", signal });
      this.#isAccepted = true;
      checkRevoked(route, id, answer);
      return "revoked";
    } catch (error) {
      if (!(error instanceof KeyplaneError)) throw error;
      // Both the list and this answer say that the key does not exist.
      const isAbsent = unlisted && error.kind === "not_found";
      return isAbsent ? "absent" : await this.#settleRevoke(id, error, { signal, unlisted });
    }
  }

  /**
   * Whether the service accepts the key. Sends a request with it, so the key counts as used. Retries a refusal for some
   * seconds, because a new key may not be known everywhere yet.
   */
  async authenticates(key: string, { isNew = true }: { readonly isNew?: boolean } = {}): Promise<boolean> {
    conceal(key);
    const request = { method: "GET", route: PROBE, path: "/projects", query: { limit: 1 }, replay: "safe" } as const;
    for (const pause of [...(isNew ? SETTLE_PAUSES_MS : []), undefined]) {
      try {
        await this.http.request({ ...request, credential: key });
        return true;
      } catch (error) {
        if (!isApiError(error) || !isRefusal(error.status ?? 0)) throw error;
        // Any other refusal means that the service recognised the key.
        if (error.status !== 401) return true;
        if (pause !== undefined) await this.http.sleep(pause);
      }
    }
    return false;
  }

  async #read(onSend: () => void, signal: AbortSignal): Promise<readonly ApiKeyRecord[]> {
    if (this.#refusal && this.clock.monotonic() - this.#refusal.time <= REFUSED_MS) throw this.#refusal.error;
    const { at } = this;
    const route = at.routes.list;
    try {
      const answer = await this.http.request({ method: "GET", route, path: at.path, replay: "safe", onSend, signal });
      this.#isAccepted = true;
      const keys = readKeys(route, answer, at);
      this.#asked.compare(keys);
      return keys;
    } catch (error) {
      if (!this.#isAccepted && isApiError(error) && error.kind === "auth") {
        this.#refusal = { error, time: this.clock.monotonic() };
      }
      throw error;
    }
  }

  async #settleRevoke(
    id: string,
    trouble: KeyplaneError,
    { signal, unlisted }: RevokeKeyOptions,
  ): Promise<"revoked" | "absent"> {
    const { kind, status = 0 } = trouble;
    const lostBefore = isApiError(trouble) && trouble.afterLost;
    const open = kind === "transport" || kind === "timeout" || kind === "bad_answer" || isInconclusive(status);
    const refused = kind === "api" || kind === "not_found" || kind === "conflict";
    if (!open && !(refused && status >= 400)) throw trouble;
    // That another list lacks it says nothing about what this request has done.
    if (open && unlisted) throw trouble;
    // If the service does not find the key, the list may only lag behind.
    const keys = await this.#listAfter(trouble, kind === "not_found" ? [id] : [], signal);
    if (keyIn(keys, id) !== undefined) throw trouble;
    // Only an organization's list can be empty, and an empty list proves nothing by itself.
    if (open && keys.length === 0) throw trouble;
    return open || lostBefore ? "revoked" : "absent";
  }

  /** A new list, to find out whether a revocation that failed took effect. */
  async #listAfter(trouble: KeyplaneError, gone: readonly string[], signal: AbortSignal | undefined) {
    try {
      return await this.listWithout(gone, signal);
    } catch (error) {
      throw new KeyplaneError(
        trouble.code,
        `${trouble.message} The list of keys could not be read either: ${messageOf(error)}`,
        trouble,
      );
    }
  }
}

function nameConflict(error: unknown): ApiError | undefined {
  if (!isApiError(error) || error.kind !== "api" || !NAME_TAKEN.test(error.serviceMessage)) return undefined;
  return new ApiError("conflict", error.message, error, error.serviceMessage);
}

/**
 * Checks that the answer confirms the revocation of this key. Throws an `ApiError` if it says otherwise, and a
 * `BadAnswerError` if it does not say. In the second case, a list can decide.
 */
function checkRevoked(route: string, id: string, answer: HttpAnswer): void {
  const reader = new Reader(route, answer);
  const body = reader.object(answer.json, "");
  const revoked = reader.field(body, "revoked") ?? reader.fail("revoked", "is missing");
  const answeredId = reader.field(body, "id") ?? reader.fail("id", "is missing");
  if (keyIdOf(answeredId) === id && revoked === true) return;
  const { status, requestId } = answer;
  const problem = revoked === true ? "is about another key" : "does not confirm that the key is revoked";
  throw new ApiError(
    "api",
    `${route} for key ${id} returned ${status}, but the answer ${problem}. Check the key in the service's console, ` +
      `and try again [request ${requestId}]`,
    { status, requestId, route },
    "",
  );
}
