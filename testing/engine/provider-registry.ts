/** The providers of a run: who manages which resource. */
import { randomUUID } from "node:crypto";
import { providerUrn } from "./checkpoint";
import type { Properties } from "./property";
import type { DiffAnswer, DiffRequest, Live, Provider } from "./provider";
import { NotSupportedError } from "./refused";
import type { Resource } from "./resource";
import { packageOf, typeOf } from "./urn";
import { equalValues, UNKNOWN, withoutSecrets } from "./values";

/** The package of Node's dynamic providers: the only one this engine runs. */
export const DYNAMIC_PACKAGE = "pulumi-nodejs";

/** Knows the providers by their references, and manages the provider resources themselves. */
export class ProviderRegistry implements Provider {
  private readonly providers = new Map<string, Provider>();

  /** @param withConfig - The provider that has a configuration. */
  constructor(private readonly withConfig: (config: Properties) => Provider) {}

  /** The provider of a reference, where it has been registered. */
  get(reference: string): Provider | undefined {
    return this.providers.get(reference);
  }

  /**
   * Makes the provider of a reference available, by the state of its provider resource where it must be. So a run without
   * a program has the configuration of the last `up`, as with the CLI.
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
