/** The dynamic-provider hosts of one run, one for each configuration. */
import type { PulumiSdk } from "../program/pulumi-sdk";
import type { Properties } from "../state/property";
import { equalValues, mapWithoutSecrets } from "../state/values";
import { GrpcProvider } from "./grpc-provider";
import type { RunningHost } from "./host";
import type { LoadedProvider } from "./provider";

/** Hosts that start with the first call. */
export class DynamicHosts {
  private readonly providers: { readonly config: Properties; readonly provider: GrpcProvider }[] = [];
  private readonly running: RunningHost[] = [];

  /** @param start starts a host with a configuration in plain text. */
  constructor(
    private readonly sdk: PulumiSdk,
    private readonly start: (config: Readonly<Record<string, string>>) => RunningHost,
  ) {}

  /** Returns a provider that gets its host when it is configured. The host does not check its configuration. */
  load(): LoadedProvider {
    return {
      checkConfig: async (_urn, _olds, news) => ({ inputs: news, failures: [] }),
      configure: (_urn, _id, inputs) => this.provider(inputs),
    };
  }

  /** Starts the host of a configuration before it is needed. */
  warmUp(config: Properties): void {
    this.provider(config).warmUp();
  }

  /** Tells the providers that the run is cancelled. */
  cancel(): void {
    for (const { provider } of this.providers) provider.cancel();
  }

  /** Ends all hosts. */
  stop(): void {
    for (const host of this.running) host.stop();
  }

  private provider(config: Properties): GrpcProvider {
    const known = this.providers.find((each) => equalValues(each.config, config))?.provider;
    if (known !== undefined) return known;
    const provider = new GrpcProvider(this.sdk, () => this.hostWith(config), false);
    this.providers.push({ config, provider });
    return provider;
  }

  private hostWith(config: Properties): RunningHost["client"] {
    const host = this.start(mapWithoutSecrets(config) as Record<string, string>);
    this.running.push(host);
    return host.client;
  }
}
