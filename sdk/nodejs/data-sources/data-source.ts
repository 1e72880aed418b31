import * as pulumi from "@pulumi/pulumi";
import type { Account } from "../../../provider/api";
import type * as functions from "../../../provider/functions";
import { isMocked } from "../run/mocked";

type CallArgs = functions.CallArgs;

/** Call options that cannot be Outputs, so the `...Output` forms do not take them. */
type CallControls = "signal" | "onProgress" | "onWarning";

/** Arguments of an `...Output` form: each may be an output of a resource. */
export type OutputArgs<Args> = { [Name in keyof Args as Exclude<Name, CallControls>]: pulumi.Input<Args[Name]> };

/** Options of an `...Output` form. */
export interface OutputOptions {
  /** Resources that must be there before the service is asked. */
  readonly dependsOn?: pulumi.Input<pulumi.Resource> | pulumi.Input<pulumi.Input<pulumi.Resource>[]>;
}

/** What the data sources are made of. */
interface Service {
  /** The account of that name that the program's config, or its environment, leads to. */
  readonly account: Account;
  readonly functions: typeof functions;
}

const config = (key: string) => pulumi.runtime.getConfig(`keyplane:${key}`);

/** The arguments of a call that are values. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Asks for one thing. In a unit test with mocks, the mock's `call` is asked for `keyplane:index:NAME`, with the arguments,
 * so that no unit test can reach an account.
 */
export async function askForOne<Args extends CallArgs, Result>(
  name: string,
  args: Args,
  ask: (service: Service) => Promise<Result>,
): Promise<Result> {
  return isMocked() ? ((await askMock(name, args)) as Result) : ask(service(args));
}

/** Asks for a list, or the mock in a unit test. */
export async function askForList<Args extends CallArgs, Result>(
  name: string,
  args: Args,
  ask: (service: Service) => Promise<Result[]>,
): Promise<Result[]> {
  return isMocked() ? listOfMock(name, args) : ask(service(args));
}

/** What a mock's `call` answers as `items`. */
export async function listOfMock<Result>(name: string, args: CallArgs): Promise<Result[]> {
  const { items } = await askMock(name, args);
  if (Array.isArray(items)) return items as Result[];
  throw new TypeError(`the mock's call for keyplane:index:${name} must answer a list as { items: [...] }`);
}

function askMock(name: string, args: CallArgs): Promise<Values> {
  const controls: readonly string[] = ["signal", "onProgress", "onWarning"] satisfies readonly CallControls[];
  const values = Object.fromEntries(Object.entries(args).filter(([key]) => !controls.includes(key)));
  return pulumi.runtime.invoke(`keyplane:index:${name}`, values);
}

/**
 * Loads what talks to the service, at the first call of a data source: a program that only declares resources sends
 * nothing itself, and should not pay for it. Throws a `ConfigError` where the config leads nowhere.
 */
export function service({ account: name }: { readonly account?: string | undefined }): Service {
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

/** Makes the `...Output` form of a data source: it asks once its arguments, and what it depends on, are known. */
export function outputForm<Args, Result>(call: (args: Args) => Promise<Result>) {
  return (...[args, options]: OutputParameters<Args>): pulumi.Output<pulumi.Unwrap<Result>> => {
    const known = pulumi.all([pulumi.output(args ?? {}), awaited(options?.dependsOn)]);
    return known.apply(([values]) => call(values as Args)) as pulumi.Output<pulumi.Unwrap<Result>>;
  };
}

/** Known when the resources are there: in a preview, those that are only planned have no id yet. */
function awaited(dependsOn: OutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn).apply((given) => {
    const resources = (Array.isArray(given) ? given : [given]) as (pulumi.Resource | undefined)[];
    return pulumi.all(resources.map((each) => (pulumi.CustomResource.isInstance(each) ? each.id : each?.urn)));
  });
}
