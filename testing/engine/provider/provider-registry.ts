/** The providers of a run. */
import { randomUUID } from "node:crypto";
import { NotSupportedError } from "../refused";
import { providerUrn } from "../state/checkpoint";
import type { Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { packageOf, typeOf } from "../state/urn";
import { equalValues, UNKNOWN, withoutSecrets } from "../state/values";
import type { DiffAnswer, DiffRequest, Live, Provider } from "./provider";

/** The package of Node's dynamic providers, which is the only one that this engine runs. */
export const DYNAMIC_PACKAGE = "pulumi-nodejs";

/** Finds providers by their references, and manages provider resources. */
export class ProviderRegistry implements Provider {
  private readonly providers = new Map<string, Provider>();

  /** @param withConfig - Creates the provider with a configuration. */
  constructor(private readonly withConfig: (config: Properties) => Provider) {}

  /** Returns the provider of a reference, if it is registered. */
  get(reference: string): Provider | undefined {
    return this.providers.get(reference);
  }

  /**
   * Makes the provider of a reference available, from its provider resource's state if necessary. A run without a
   * program therefore uses the configuration of the last `up`, as with the CLI.
   */
  ensure(reference: string | undefined, olds: ReadonlyMap<string, Resource>): void {
    if (!reference || this.providers.has(reference)) return;
    const urn = providerUrn(reference);
    if (packageOf(typeOf(urn)) !== DYNAMIC_PACKAGE) throw unsupportedPackage(urn);
    this.register(reference, olds.get(urn)?.state.inputs ?? {});
  }

  /** Registers the provider of a provider resource. */
  register(reference: string, inputs: Properties): void {
    this.providers.set(reference, this.withConfig(inputs));
  }

  async check(urn: string, _olds: Properties, news: Properties) {
    if (packageOf(typeOf(urn)) !== DYNAMIC_PACKAGE) throw unsupportedPackage(urn);
    return { inputs: news, failures: [] };
  }

  async diff({ oldInputs, newInputs }: DiffRequest): Promise<DiffAnswer> {
    const changes = !equalValues(withoutSecrets(oldInputs), withoutSecrets(newInputs));
    return { changes, replaceKeys: [], deleteBeforeReplace: false };
  }

  async create(urn: string, inputs: Properties, preview: boolean): Promise<Live> {
    const id = preview ? UNKNOWN : randomUUID();
    this.register(`${urn}::${id}`, inputs);
    return { id, outputs: inputs };
  }

  async update({ urn, id, newInputs }: DiffRequest): Promise<Live> {
    this.register(`${urn}::${id}`, newInputs);
    return { id, outputs: newInputs };
  }

  async read(_urn: string, id: string, _inputs: Properties, outputs: Properties): Promise<Live> {
    return { id, outputs };
  }

  async delete(): Promise<void> {}
}

function unsupportedPackage(urn: string): Error {
  return new NotSupportedError(`the provider ${packageOf(typeOf(urn))}`);
}
