import type { dynamic } from "@pulumi/pulumi";
import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import { isKeyplaneError, KeyplaneError } from "../errors";
import { publishDiagnostic } from "../http/diagnostics";
import { noteHolder } from "../keys/holders";
import { nameInUrn } from "../keys/names";
import { type Scope, scopeOf } from "../keys/scope";
import { check } from "../schema/check";
import { diff } from "../schema/diff";
import { type Context, type Failure, NotReady, type Properties, type ResourceType } from "../schema/resource-type";
import { conceal, redact } from "../secrets";
import type { Settings } from "../settings/settings";
import type { Severity } from "./engine-link";
import { session } from "./session";
import { fromPulumi, fromState, toPulumi, toState } from "./values";

type Values = Record<string, unknown>;
type Verb = "check" | "diff" | "create" | "read" | "update" | "delete";

/** Turns a resource type into the provider that Pulumi's dynamic host calls. */
export function adapt(type: ResourceType): dynamic.ResourceProvider<Values, Values> {
  return {
    async configure({ config }) {
      session.configure((key) => config.get(`keyplane:${key}`));
    },

    check: (_olds, news) =>
      run(type, "check", news, async (context) => {
        session.noteCheck(news.resourceUrn);
        const { inputs, failures } = check(type, fromPulumi(news), context);
        return { inputs: toPulumi(inputs), failures: failures.map(toHostFailure) };
      }),

    diff: (id, olds, news) =>
      run(
        type,
        "diff",
        news,
        async (context) => {
          const driftOnly = session.takeRefresh(id, olds.resourceUrn);
          const terms = { now: context.now(), fingerprint: () => context.fingerprint(), driftOnly };
          const difference = diff(type, fromState(olds), fromPulumi(news), terms);
          for (const reason of difference.reasons) context.info(reason);
          // A refresh can compare a predecessor that is still to be deleted: it does not show what is held.
          if (!driftOnly) noteHolder(type, id, fromState(olds), context);
          const { changes, replaces, deleteBeforeReplace } = difference;
          return { changes, replaces: [...replaces], deleteBeforeReplace };
        },
        olds,
      ),

    create: (inputs) =>
      run(type, "create", inputs, async (context) => {
        const { id, outputs } = await type.create(fromPulumi(inputs), context);
        noteHolder(type, id, outputs, context);
        return { id, outs: toState(outputs, type.canBeAbsent) };
      }),

    read: (id, olds = {}) =>
      run(type, "read", olds, async (context) => {
        session.noteRead(id, olds.resourceUrn);
        const outputs = await type.read(id, fromState(olds), context);
        // An empty result reports that the resource is gone.
        return outputs === undefined ? {} : { id, props: toState(outputs, type.canBeAbsent) };
      }),

    update: (id, olds, news) =>
      run(
        type,
        "update",
        news,
        async (context) => {
          const outputs = await type.update(id, fromState(olds), fromPulumi(news), context);
          noteHolder(type, id, outputs, context);
          return { outs: toState(outputs, type.canBeAbsent) };
        },
        olds,
      ),

    delete: (id, olds) => run(type, "delete", olds, (context) => type.delete(id, fromState(olds), context)),
  };
}

/**
 * Runs one verb with its own context. Converts whatever it throws into an error that is safe to show.
 * @param held - The state of the resource, if `values` does not contain it.
 */
async function run<T>(
  type: ResourceType,
  verb: Verb,
  values: Values,
  body: (context: Context) => Promise<T>,
  held: Values = values,
): Promise<T> {
  // The service can repeat any of them in its answers.
  for (const secret of keysIn(held)) conceal(secret);
  const scope = scopeOf(values);
  const context = new VerbContext(String(values.resourceUrn ?? ""), scope);
  const ended = session.began(scope.account, (text) => context.progress(text));
  try {
    const answer = await body(context);
    publishDiagnostic("before-return", `${verb} ${type.name}`);
    return answer;
  } catch (error) {
    throw toHostError(error, type, `${verb} ${type.name} ${JSON.stringify(context.resourceName)}`, values);
  } finally {
    ended();
    await session.engine.flush();
  }
}

/**
 * The context of one verb. It is small and creates its parts on demand, because all reads of a refresh wait for one
 * list at the same time, each with a context.
 */
class VerbContext implements Context {
  readonly #urn: string;
  readonly #scope: Scope;

  constructor(urn: string, scope: Scope) {
    this.#urn = urn;
    this.#scope = scope;
  }

  get resourceName(): string {
    return nameInUrn(this.#urn);
  }

  get run(): Context["run"] {
    return session.runOf(this.#scope);
  }

  get checkpointsSkipped(): boolean {
    return isOn(process.env.PULUMI_SKIP_CHECKPOINTS);
  }

  get progress(): Context["progress"] {
    return this.#log("info", true);
  }

  get info(): Context["info"] {
    return this.#log("info", false);
  }

  get warn(): Context["warn"] {
    return this.#log("warning", false);
  }

  settings(): Settings {
    return session.settings(this.#scope.account);
  }

  account(): Account {
    return session.account(this.#scope.account);
  }

  keys(): Keys {
    return this.account().keysOf(this.#scope.organizationId);
  }

  fingerprint(): string {
    return session.fingerprint(this.#scope);
  }

  now(): number {
    return Date.now();
  }

  #log(severity: Severity, ephemeral: boolean): (text: string) => void {
    return (text) => session.engine.log(this.#urn, severity, redact(text), ephemeral);
  }
}

/** Reads a boolean environment variable as Pulumi does. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "t", "true"].includes(value.toLowerCase());
}

/** The error that the host gets. It prints some errors with their stack, and an `id` means "exists, not ready". */
class HostError extends Error {
  override readonly name = "keyplane";
  readonly id?: string;
  readonly properties?: Values;
  readonly reasons?: string[];

  constructor(message: string, notReady?: { readonly id: string; readonly properties: Values }) {
    super(message);
    // A stack would repeat the message and show paths of the user's machine.
    this.stack = "";
    if (notReady !== undefined) {
      this.id = notReady.id;
      this.properties = notReady.properties;
      this.reasons = [message];
    }
  }
}

/**
 * Puts the path into the reason. If the failure named the property, Pulumi would print its value, and any value can be
 * a secret: Pulumi does not tell providers which ones are.
 */
function toHostFailure({ property, reason, code = "KP-INPUT" }: Failure): dynamic.CheckFailure {
  return { property: "", reason: `${property === "" ? "" : `${property}: `}${reason} [${code}]` };
}

function toHostError(error: unknown, type: ResourceType, doing: string, values: Values): HostError {
  const { message: text, code } = error instanceof NotReady || isKeyplaneError(error) ? error : unexpected(error);
  for (const secret of [...keysIn(values), ...session.credentials().values()]) conceal(secret);
  const message = redact(`${doing}: ${text} [${code}]`);
  if (!(error instanceof NotReady)) return new HostError(message);
  // The host adds `__provider` to every result but this one. Without it, the resource could never be deleted.
  const outputs = toState(error.outputs as Properties, type.canBeAbsent);
  const properties = { ...outputs, __provider: values.__provider };
  return new HostError(message, { id: error.id, properties });
}

/** Wraps an error that keyplane does not throw on purpose. */
function unexpected(error: unknown): KeyplaneError {
  const text = error instanceof Error ? error.message : String(error);
  return new KeyplaneError("KP-INTERNAL", `${text}. This is a bug in keyplane: report it with this message`);
}

/** The secrets of keys in some values. */
function keysIn(values: Values): string[] {
  const { adopt } = values as { adopt?: { key?: unknown } };
  return [values.key, values.previousKey, adopt?.key].filter((value): value is string => typeof value === "string");
}
