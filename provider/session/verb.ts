import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import { isKeyplaneError, KeyplaneError } from "../errors";
import { publishDiagnostic } from "../http/diagnostics";
import { ownerIdIn } from "../keys/identity";
import { nameInUrn } from "../keys/names";
import { type Scope, scopeOf } from "../keys/scope";
import { membersOf } from "../members";
import type { Outputs } from "../schema/outputs";
import { type Context, type Failure, type Look, NotReady, type ResourceType } from "../schema/resource-type";
import type { History, Witness } from "../schema/witness";
import { conceal, maskKeyLike } from "../secrets";
import type { Settings } from "../settings/settings";
import { type EngineCommand, skipsCheckpoints } from "../stack/command-line";
import { shownName, toMessage } from "../text";
import type { Severity } from "./engine-link";
import type { LongWait } from "./long-waits";
import type { Session } from "./session";

export interface Verb {
  readonly type: ResourceType;
  readonly name: "check" | "diff" | "create" | "read" | "update" | "delete";
  readonly urn: string;
  /** The properties that name the scope: the inputs in `check` and `create`, otherwise those where the resource is. */
  readonly values: Outputs;
  /** The state of the resource. @default values */
  readonly held?: Outputs;
  /** What the front end adds to the context. */
  readonly also?: Pick<Partial<Context>, Added>;
}

type Added = "ownerNow" | "beforeCreate" | "customTimeoutMs" | "nonce" | "hasLedger";

/** Time after which a wait gets lines that stay, in milliseconds. A shorter one is shown only in the resource's row. */
const LONG_MS = 10_000;

/** Why a verb failed, as one text with its code. */
export class VerbError extends Error {
  constructor(
    message: string,
    readonly type: ResourceType,
    readonly notReady?: NotReady,
  ) {
    super(message);
  }
}

/** Runs one verb with its own context. Throws a `VerbError` for whatever it throws. */
export async function runVerb<T>(session: Session, verb: Verb, body: (context: Context) => Promise<T>): Promise<T> {
  const { type, name, urn, values, held = values } = verb;
  // The service can repeat any of them in its answers.
  for (const secret of secretsIn(held)) conceal(secret);
  // The values of other verbs are inputs, which are not in a state yet.
  if (name !== "check" && name !== "create") session.noteRecorded(held);
  const context = new VerbContext(session, verb);
  const ended = session.cancellation.began(context);
  try {
    const answer = await body(context);
    // No state gets a key whose answer a dead engine cannot read. Then this does not return: the keys are revoked, and
    // the process ends.
    if (context.created.length > 0) await session.engine.mustBeRunning();
    context.endWait("done");
    publishDiagnostic("before-return", `${name} ${type.name}`);
    return answer;
  } catch (error) {
    context.endWait("failed");
    const doing = `${name} ${type.name} ${JSON.stringify(shownName(nameInUrn(urn)))}`;
    for (const secret of secretsIn(values)) conceal(secret);
    const notReady = error instanceof NotReady ? error : undefined;
    throw new VerbError(described(session, doing, error), type, notReady);
  } finally {
    await session.engine.flush();
    ended();
  }
}

/**
 * Failed checks in words that are safe to show. The path is part of the reason: if the failure named the property,
 * Pulumi would print its value, and any value can be a secret.
 */
export function reasonsOf(failures: readonly Failure[]): Promise<string[]> {
  return Promise.all(
    failures.map(async ({ property, reason, code = "KP-INPUT", known, of = "" }) => {
      // Loaded on demand, because nearly all programs pass only inputs that exist.
      const hint = known === undefined ? "" : (await import("../nearest.js")).didYouMean(property, known);
      // The name of an input that does not exist can be anything.
      const path = [of, property].flatMap((name) => (name === "" ? [] : `${maskKeyLike(name)}: `)).join("");
      return toMessage(`${path}${reason}${hint} [${code}]`);
    }),
  );
}

/**
 * The context of one verb. It is small and creates its parts on demand, because all reads of a refresh wait for one
 * list at the same time, each with a context.
 */
class VerbContext implements Omit<Context, Added> {
  readonly scope: Scope;
  readonly nonce: Context["nonce"];
  readonly hasLedger: boolean = true;
  readonly created: (() => Promise<unknown>)[] = [];
  readonly #session: Session;
  readonly #phase: string;
  #wait: LongWait | undefined;
  #waitTimer: NodeJS.Timeout | undefined;
  readonly urn: string;

  constructor(session: Session, { urn, name, values, also }: Verb) {
    this.scope = scopeOf(values);
    this.nonce = session.nonce;
    // A run creates and updates first, and deletes last, so creations and updates share a look at the state.
    this.#phase = name === "create" ? "update" : name;
    this.#session = session;
    this.urn = urn;
    Object.assign(this, also);
  }

  get run(): Context["run"] {
    return this.#session.runOf(this.scope);
  }

  get isDeclared(): boolean {
    return this.#session.isChecked(this.urn);
  }

  get checkpointsSkipped(): boolean {
    return skipsCheckpoints();
  }

  get progress(): Context["progress"] {
    const show = this.#log("progress");
    return (text) => {
      this.#noteWait(text);
      show(text);
    };
  }

  get info(): Context["info"] {
    return this.#log("info");
  }

  get warn(): Context["warn"] {
    return this.#log("warning");
  }

  settings(): Settings {
    return this.#session.settings(this.scope.account);
  }

  account(): Account {
    return this.#session.account(this.scope);
  }

  keys(): Keys {
    return this.account().keysOf(this.scope.organizationId);
  }

  accountMark(): string {
    return this.#session.accountMark(this.scope);
  }

  get runRecord(): string | undefined {
    return this.#session.runRecord;
  }

  creating<T>(creation: Promise<T>): Promise<T> {
    return this.#session.cancellation.creating(creation);
  }

  noteCreated(id: string): void {
    // Until the resource is ready, only this shows that the key is its own.
    this.run.lastHolders.set(id, this.urn);
    this.created.push(() => this.keys().revoke(id));
  }

  command(): EngineCommand {
    return this.#session.command;
  }

  async witness(identity: string | undefined, look: Look = {}): Promise<Witness | undefined> {
    const { fresh = false, asOwn = false } = look;
    const witness = await this.#session.stack.state(this.urn, this.#phase, { fresh });
    return witness?.knows(ownerIdIn(identity), { asOwn }) ? witness : undefined;
  }

  get history(): History {
    return this.#session.stack;
  }

  now(): number {
    return this.#session.now();
  }

  endWait(outcome: "done" | "failed"): void {
    clearTimeout(this.#waitTimer);
    if (this.#wait !== undefined) this.#session.longWaits.end(this.#wait, outcome);
    this.#wait = undefined;
  }

  #noteWait(text: string): void {
    if (this.#wait !== undefined) {
      this.#wait.text = text;
      return;
    }
    const wait: LongWait = { text, since: performance.now(), say: this.#log("info") };
    this.#wait = wait;
    // The process must not stay alive for it.
    this.#waitTimer = setTimeout(() => this.#session.longWaits.add(wait), LONG_MS).unref();
  }

  #log(severity: Severity): (text: string) => void {
    return (text) => this.#session.engine.log(this.urn, severity, text);
  }
}

/** An error as one text with its code. The front end makes it safe to show when it leaves the process. */
export function described(session: Session, doing: string, error: unknown): string {
  const { message, code } = error instanceof NotReady || isKeyplaneError(error) ? error : unexpected(error);
  for (const secret of session.credentials().values()) conceal(secret);
  return `${doing}: ${message} [${code}]`;
}

/** Wraps an error that keyplane does not throw on purpose. */
function unexpected(error: unknown): KeyplaneError {
  const text = error instanceof Error ? error.message : String(error);
  return new KeyplaneError("KP-INTERNAL", `${text}. This is a bug in keyplane: report it with this message`);
}

function secretsIn({ key, previousKey, adopt }: Outputs): string[] {
  return [key, previousKey, membersOf(adopt).key].filter((value) => typeof value === "string");
}
