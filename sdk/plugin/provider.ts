// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.
import * as pulumi from "@pulumi/pulumi";
import { isOfType, jsonOf, optionsOf, registerProvider, secretOf } from "./runtime";

/** The settings of a `Provider`. */
export interface ProviderArgs {
  /**
   * Base URL of the control plane: `https`, or `http` to this machine. Without it, the environment variable
   * `KEYPLANE_BASE_URL` applies.
   */
  readonly baseUrl?: pulumi.Input<string | undefined>;
  /**
   * The key that keyplane itself authenticates with, created once in the web console. Without it, the environment
   * variable `KEYPLANE_API_KEY` applies.
   */
  readonly apiKey?: pulumi.Input<string | undefined>;
  /**
   * Longest time without an answer, or without its next part. Without it, the environment variable
   * `KEYPLANE_REQUEST_TIMEOUT` applies. Defaults to `30s`.
   */
  readonly requestTimeout?: pulumi.Input<string | undefined>;
  /**
   * Longest wait for operations, unless a resource sets its own. Without it, the environment variable
   * `KEYPLANE_OPERATION_TIMEOUT` applies. Defaults to `30m`.
   */
  readonly operationTimeout?: pulumi.Input<string | undefined>;
  /**
   * Time between two checks of a pending operation. Without it, the environment variable `KEYPLANE_POLL_INTERVAL`
   * applies. Defaults to `5s`.
   */
  readonly pollInterval?: pulumi.Input<string | undefined>;
  /**
   * Maximum number of requests in flight, from 1 to 1000. Without it, the environment variable `KEYPLANE_CONCURRENCY`
   * applies. Defaults to `32`.
   */
  readonly concurrency?: pulumi.Input<number | undefined>;
  /**
   * Maximum number of requests per second on one route. Without it, the environment variable
   * `KEYPLANE_REQUESTS_PER_SECOND` applies. Defaults to `40`.
   */
  readonly requestsPerSecond?: pulumi.Input<number | undefined>;
  /**
   * Maximum number of requests per minute in total. Without it, the environment variable `KEYPLANE_REQUESTS_PER_MINUTE`
   * applies. Defaults to `700`.
   */
  readonly requestsPerMinute?: pulumi.Input<number | undefined>;
  /**
   * The secrets of keys to import, by key id. `pulumi import` needs the secret of each key, because the service does
   * not show it. Used only during an import: remove this setting afterwards.
   */
  readonly importKeys?: pulumi.Input<Record<string, pulumi.Input<string>> | undefined>;
}

/** An account of the service. Use an explicit provider for each further account. */
export class Provider extends pulumi.ProviderResource implements ProviderArgs {
  declare readonly baseUrl: pulumi.Output<string | undefined>;
  declare readonly apiKey: pulumi.Output<string | undefined>;
  declare readonly requestTimeout: pulumi.Output<string | undefined>;
  declare readonly operationTimeout: pulumi.Output<string | undefined>;
  declare readonly pollInterval: pulumi.Output<string | undefined>;
  /**
   * Declares a provider, to pass it to resources and functions in their option `provider`. Its name in Pulumi is unique
   * in the program. Settings that are left out come from the environment.
   */
  constructor(name: string, args: ProviderArgs = {}, options: pulumi.ResourceOptions = {}) {
    const inputs = {
      ...args,
      apiKey: secretOf(args.apiKey),
      concurrency: jsonOf(args.concurrency),
      importKeys: jsonOf(secretOf(args.importKeys)),
      requestsPerMinute: jsonOf(args.requestsPerMinute),
      requestsPerSecond: jsonOf(args.requestsPerSecond),
    };
    super("keyplane", name, inputs, optionsOf(options, ["apiKey"]));
  }

  /** Whether a value is a `Provider`, including one from another copy of this package. */
  static override isInstance(value: unknown): value is Provider {
    return isOfType(value, "pulumi:providers:keyplane");
  }
}

registerProvider((name, urn) => new Provider(name, {}, { urn }));
