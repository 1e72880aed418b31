import { asKeyplaneError, type KeyplaneError } from "../errors";
import { publishDiagnostic } from "../http/diagnostics";
import type { Call, Log } from "../keys/call";
import { shownResource } from "../keys/naming";
import { scopeOf } from "../keys/scope";
import { type Members, membersOf, textOf } from "../members";
import { didYouMean } from "../nearest";
import type { ResourceType } from "../resources/resource";
import type { Failure } from "../schema/check";
import { conceal } from "../secrets";
import { toMessage } from "../text";
import type { Severity } from "./engine-link";
import type { LongWait } from "./long-waits";
import type { Session } from "./session";

/** Time after which a wait gets lines that stay, in milliseconds. A shorter one is shown only in the resource's row. */
const LONG_MS = 10_000;

/** The resource of a call. */
export interface Target {
  readonly type: ResourceType;
  readonly urn: string;
  /** The resource option `customTimeouts` of the call, in milliseconds, if the front end knows it. */
  readonly timeoutMs?: number | undefined;
}

/** What a call answers, with its problem as one text with its code. */
export type Answer<Result> = Omit<Result, "problem"> & { readonly problem?: string | undefined };

/**
 * Runs a call that can send requests. Whatever it throws becomes an error with one text. The keys that the resource has are no
 * orphans, and neither are those in the state that `body` answers.
 * @param scopeAndSuffix - What names these: the inputs, or the outputs of a resource that has no new ones.
 * @param outputs - Those of the resource, or the inputs of one that does not exist yet. @default scopeAndSuffix
 */
export async function runCall<
  Result extends { readonly state?: Members | undefined; readonly problem?: KeyplaneError | undefined },
>(
  session: Session,
  { type, urn, timeoutMs }: Target,
  {
    verb,
    id,
    scopeAndSuffix,
    outputs = scopeAndSuffix,
  }: Pick<Call, "verb" | "id"> & { readonly scopeAndSuffix: Members; readonly outputs?: Members },
  body: (call: Call) => Promise<Result>,
): Promise<Answer<Result>> {
  return describing(session, { type, urn }, { verb, values: outputs }, async (describe) => {
    const log = new ResourceLog(session, urn);
    const keyList = session.keyList(scopeOf(scopeAndSuffix));
    const running = { keyList, log };
    session.running.add(running);
    let outcome: "done" | "failed" = "failed";
    try {
      if (id !== undefined) session.remember(urn, id, outputs);
      const suffix = textOf(scopeAndSuffix.__suffix) ?? "";
      const call = { verb, urn, id, suffix, keyList, log, stack: session.stack, timeoutMs };
      const { problem, ...answer } = await body(call);
      if (answer.state !== undefined) keyList.memory.remember(answer.state);
      if (problem !== undefined) return { ...answer, problem: describe(problem) };
      outcome = "done";
      publishDiagnostic("before-return", `${verb} ${type.name}`);
      return answer;
    } finally {
      log.end(outcome);
      session.running.delete(running);
    }
  });
}

/** Runs what a call does, and shows what it says. What it throws becomes an error with one text, as `describe` makes it. */
export async function describing<T>(
  session: Session,
  { type, urn }: Pick<Target, "type" | "urn">,
  { verb, values }: { readonly verb: string; readonly values: Members },
  body: (describe: (error: unknown) => string) => Promise<T>,
): Promise<T> {
  const describe = (error: unknown) => described(session, `${verb} ${type.name} ${shownResource(urn)}`, error);
  // The service can repeat any of them in its answers.
  for (const secret of secretsIn(values)) conceal(secret);
  session.calls.begin();
  try {
    return await body(describe);
  } catch (error) {
    throw new Error(describe(error));
  } finally {
    await session.engine.flush();
    session.calls.end();
  }
}

/**
 * Failed checks in words that are safe to show. The path is part of the reason: if the failure named the property,
 * Pulumi would print its value, and any value can be a secret.
 */
export function reasonsOf(failures: readonly Failure[]): string[] {
  return failures.map(({ property, reason, code = "KP-INPUT", known }) => {
    const hint = known === undefined ? "" : didYouMean(property, known);
    const path = property === "" ? "" : `${property}: `;
    return toMessage(`${path}${reason}${hint} [${code}]`);
  });
}

/** An error as one text with its code. The front end makes it safe to show when it leaves the process. */
export function described(session: Session, doing: string, error: unknown): string {
  const { message, code } = asKeyplaneError(error);
  for (const secret of session.credentials().values()) conceal(secret);
  return `${doing}: ${message} [${code}]`;
}

function secretsIn({ key, previousKey, adopt }: Members): string[] {
  return [key, previousKey, membersOf(adopt).key].filter((value) => typeof value === "string");
}

/** The log of a resource during one call. A long wait also gets lines that stay. */
export class ResourceLog implements Log {
  #wait: LongWait | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: Session,
    private readonly urn: string,
  ) {}

  readonly progress = (text: string): void => {
    this.#keepWait(text);
    this.#log("progress", text);
  };

  readonly info = (text: string): void => this.#log("info", text);

  readonly warn = (text: string): void => this.#log("warning", text);

  end(outcome: "done" | "failed"): void {
    clearTimeout(this.#timer);
    if (this.#wait !== undefined) this.session.longWaits.end(this.#wait, outcome);
    this.#wait = undefined;
  }

  #keepWait(text: string): void {
    if (this.#wait !== undefined) {
      this.#wait.text = text;
      return;
    }
    const wait: LongWait = { text, since: performance.now(), say: this.info };
    this.#wait = wait;
    // The process must not stay alive for it.
    this.#timer = setTimeout(() => this.session.longWaits.add(wait), LONG_MS).unref();
  }

  #log(severity: Severity, text: string): void {
    this.session.engine.log(this.urn, severity, text);
  }
}
