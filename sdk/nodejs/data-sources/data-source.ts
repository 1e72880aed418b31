import * as pulumi from "@pulumi/pulumi";
import type { Account } from "../../../provider/api";
import { isKeyplaneError } from "../../../provider/errors";
import type * as functions from "../../../provider/functions";
import { judgeConfig } from "../run/judge-config";
import { childrenOf, isMocked, showOnlyMessage } from "../run/pulumi-internals";

type CallArgs = functions.CallArgs;
type Name = keyof typeof functions.ARGUMENTS;

/** Call options that cannot be Outputs, so the `...Output` forms do not take them. */
type CallControls = "signal" | "onProgress" | "onWarning";

/** Arguments of an `...Output` form: each may be an output of a resource. */
export type OutputArgs<Args> = { [Name in keyof Args as Exclude<Name, CallControls>]: pulumi.Input<Args[Name]> };

/** Options of an `...Output` form, in the form of other packages' data sources. */
export interface OutputOptions {
  /** Resources that must exist before the call. A component includes all its children. */
  readonly dependsOn?: pulumi.Input<pulumi.Resource> | pulumi.Input<pulumi.Input<pulumi.Resource>[]>;
  /** Accepted, but has no effect: keyplane's data sources have no provider to inherit. */
  readonly parent?: pulumi.Resource;
}

/** What the data sources use. */
interface Service {
  /** The account from the program's config or environment. */
  readonly account: Account;
  readonly functions: typeof functions;
}

const config = (key: string) => pulumi.runtime.getConfig(`keyplane:${key}`);

/** The arguments of a call, as plain values. */
type Values = Readonly<Record<string, unknown>>;

/** Throws a report of what is wrong with the arguments of a call, also in a preview and a unit test. */
export function checkArguments(name: Name, args: unknown): void {
  // Loaded at the first call, as everything of the provider.
  const { checkCall } =
    require("../../../provider/functions/args") as typeof import("../../../provider/functions/args");
  try {
    checkCall(name, args);
  } catch (error) {
    expectLateHandlers();
    throw asReport(name, error);
  }
}

/**
 * Reads one item. In a unit test with mocks, calls the mock's `call` for `keyplane:index:NAME` with the arguments
 * instead, so that no unit test can reach an account. Pulumi shows an error as one line; see `asReport`.
 */
export async function askForOne<Args extends CallArgs, Result>(
  name: Name,
  args: Args,
  ask: (service: Service) => Promise<Result>,
  askInstead: (name: string, args: CallArgs) => Promise<unknown> = askMock,
): Promise<Result> {
  checkArguments(name, args);
  if (isMocked()) return (await askInstead(name, args)) as Result;
  try {
    return await ask(service(args));
  } catch (error) {
    expectLateHandlers();
    throw asReport(name, error);
  }
}

/** Reads a list, or asks the mock in a unit test. */
export function askForList<Args extends CallArgs, Result>(
  name: Name,
  args: Args,
  ask: (service: Service) => Promise<Result[]>,
): Promise<Result[]> {
  return askForOne(name, args, ask, listOfMock);
}

let areExpected = false;

/**
 * A program can await a call after it has failed, and Pulumi has reported the error by then. Node would add a warning,
 * which names neither the call nor the error. Other promises still get it.
 */
function expectLateHandlers(): void {
  if (areExpected) return;
  areExpected = true;
  process.on("rejectionHandled", (promise) => {
    promise.catch((error: unknown) => {
      if (isKeyplaneError(error)) return;
      process.emitWarning("Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning");
    });
  });
}

/**
 * The error of a data source, as Pulumi is to show it if the program does not catch it: only its message, with the
 * name of the data source and the code. Otherwise Pulumi adds the stack and all properties.
 */
export function asReport(name: string, error: unknown): unknown {
  // Calls that share a request get the same error.
  if (isKeyplaneError(error) && showOnlyMessage(error)) error.message = `${name}: ${error.message} [${error.code}]`;
  return error;
}

/** The `items` that a mock's `call` returns. */
export async function listOfMock<Result>(name: string, args: CallArgs): Promise<Result[]> {
  const { items } = await askMock(name, args);
  if (Array.isArray(items)) return items as Result[];
  throw new TypeError(`the mock's call for keyplane:index:${name} must return a list as { items: [...] }`);
}

function askMock(name: string, args: CallArgs): Promise<Values> {
  const controls: readonly string[] = ["signal", "onProgress", "onWarning"] satisfies readonly CallControls[];
  const values = Object.fromEntries(Object.entries(args).filter(([key]) => !controls.includes(key)));
  return pulumi.runtime.invoke(`keyplane:index:${name}`, values);
}

/**
 * Loads the client at the first call of a data source, because a program that only declares resources does not need it.
 * Throws a `ConfigError` if the config is missing or invalid.
 */
export function service({ account: name }: { readonly account?: string | undefined }): Service {
  judgeConfig();
  const { Account } = require("../../../provider/api") as typeof import("../../../provider/api");
  const { resolveSettings } =
    require("../../../provider/settings/settings") as typeof import("../../../provider/settings/settings");
  const account = Account.for(resolveSettings(config, process.env, name));
  account.onWarning ??= (message) => {
    void pulumi.log.warn(message);
  };
  return { account, functions: require("../../../provider/functions") as typeof functions };
}

type OutputParameters<Args> =
  Record<never, never> extends OutputArgs<Args>
    ? [args?: OutputArgs<Args>, options?: OutputOptions]
    : [args: OutputArgs<Args>, options?: OutputOptions];

/** Creates the `...Output` form of a data source. It makes the call once its arguments and dependencies are known. */
export function outputForm<Args, Result>(call: (args: Args) => Promise<Result>) {
  return (...[args, options]: OutputParameters<Args>): pulumi.Output<pulumi.Unwrap<Result>> => {
    const known = pulumi.all([pulumi.output(args ?? {}), awaited(options?.dependsOn)]);
    return known.apply(async ([values]) => {
      try {
        return await call(values as Args);
      } catch (error) {
        throw withoutSecrets(error, await secretsIn(args ?? {}));
      }
    }) as pulumi.Output<pulumi.Unwrap<Result>>;
  };
}

/** The arguments that are secrets. */
async function secretsIn(args: object): Promise<Values> {
  const each = Object.entries(args).map(async ([name, value]) => {
    const output = pulumi.output(value);
    if (!(await pulumi.isSecret(output))) return [];
    return [[name, await new Promise((resolve) => output.apply(resolve))] as const];
  });
  return Object.fromEntries((await Promise.all(each)).flat());
}

/** The error without these arguments, because Pulumi prints its message and its stack. */
function withoutSecrets(error: unknown, secrets: Values): unknown {
  if (!(error instanceof Error) || Object.keys(secrets).length === 0) return error;
  const { hideArguments } = require("../../../provider/functions") as typeof functions;
  error.message = hideArguments(error.message, secrets);
  error.stack = hideArguments(error.stack ?? "", secrets);
  return error;
}

/** Known when the resources exist. In a preview, planned resources have no id yet. */
function awaited(dependsOn: OutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn).apply((given) => {
    const resources = (Array.isArray(given) ? given : [given]) as (pulumi.Resource | undefined)[];
    return pulumi.all(resources.flatMap((each) => (each === undefined ? [] : signsOf(each))));
  });
}

/** A value that is known once a resource exists, and for a component also all its children. */
function signsOf(resource: pulumi.Resource): pulumi.Output<string>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  return [resource.urn, ...childrenOf(resource).flatMap(signsOf)];
}
