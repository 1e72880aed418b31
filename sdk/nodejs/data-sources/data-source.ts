import * as pulumi from "@pulumi/pulumi";
import { isKeyplaneError } from "../../../provider/errors";
import type * as functions from "../../../provider/functions";
import type { Members } from "../../../provider/members";
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

const config = (key: string) => pulumi.runtime.getConfig(`keyplane:${key}`);

/** The data sources that answer with one item. The others answer with a list. */
const OF_ONE: readonly Name[] = ["getApiKey", "getOperation", "getProject"];

/**
 * Calls a data source. In a unit test with mocks, calls the mock's `call` for `keyplane:index:NAME` with the arguments
 * instead, so that no unit test can reach an account. Pulumi shows an error as one line; see `asReport`.
 */
export async function ask<Of extends Name>(
  name: Of,
  args: Parameters<(typeof functions)[Of]>[1] & {},
): Promise<Awaited<ReturnType<(typeof functions)[Of]>>> {
  type Result = Awaited<ReturnType<(typeof functions)[Of]>>;
  if (isMocked()) return (await (OF_ONE.includes(name) ? askMock : listOfMock)(name, args)) as Result;
  try {
    const { account, functions } = service(name, args);
    return (await functions[name](account, args as never)) as Result;
  } catch (error) {
    throw asReport(name, error);
  }
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
  expectLateHandlers();
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

function askMock(name: string, args: CallArgs): Promise<Members> {
  const controls: readonly string[] = ["signal", "onProgress", "onWarning"] satisfies readonly CallControls[];
  const values = Object.fromEntries(Object.entries(args).filter(([key]) => !controls.includes(key)));
  return pulumi.runtime.invoke(`keyplane:index:${name}`, values);
}

/**
 * Loads the client at the first call of a data source, because a program that only declares resources does not need it.
 * Throws an `InputError` if the call is wrong, and a `ConfigError` if the config is missing or invalid.
 */
export function service(source: Name, args: CallArgs) {
  const loaded = require("../../../provider/functions") as typeof functions;
  loaded.checkCall(source, args);
  judgeConfig();
  const { Account } = require("../../../provider/api") as typeof import("../../../provider/api");
  const { resolveSettings } =
    require("../../../provider/settings/settings") as typeof import("../../../provider/settings/settings");
  const account = Account.for(resolveSettings(config, process.env, args.account));
  account.onWarning ??= (message) => {
    void pulumi.log.warn(message);
  };
  return { account, functions: loaded };
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
async function secretsIn(args: object): Promise<Members> {
  const each = Object.entries(args).map(async ([name, value]) => {
    const output = pulumi.output(value);
    if (!(await pulumi.isSecret(output))) return [];
    return [[name, await new Promise((resolve) => output.apply(resolve))] as const];
  });
  return Object.fromEntries((await Promise.all(each)).flat());
}

/** The error without these arguments, because Pulumi prints its message and its stack. */
function withoutSecrets(error: unknown, secrets: Members): unknown {
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
