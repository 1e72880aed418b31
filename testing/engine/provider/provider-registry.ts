/** The providers of a run. */
import { randomUUID } from "node:crypto";
import { providerUrn } from "../state/checkpoint";
import type { Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { packageOf, typeOf } from "../state/urn";
import { equalValues, mapWithoutSecrets, UNKNOWN } from "../state/values";
import type { CheckAnswer, DiffAnswer, DiffRequest, Live, LoadedProvider, Provider } from "./provider";

/** The package of Node's dynamic providers. */
export const DYNAMIC_PACKAGE = "pulumi-nodejs";

/** Starts the provider of a package. */
export type LoadProvider = (packageName: string) => LoadedProvider;

/** Finds providers by their references, and manages provider resources: the default provider of each package. */
export class ProviderRegistry implements Provider {
  private readonly registered = new Map<string, Provider>();
  /** The providers that were checked and are not configured yet, by URN. */
  private readonly checked = new Map<string, LoadedProvider>();

  constructor(private readonly load: LoadProvider) {}

  /** Returns the provider of a reference, if it is registered. */
  get(reference: string): Provider | undefined {
    return this.registered.get(reference);
  }

  /**
   * Makes the provider of a reference available, from its provider resource's state if necessary. A run without a
   * program therefore uses the configuration of the last `up`, as with the CLI.
   */
  ensure(reference: string | undefined, resources: readonly Resource[]): void {
    if (!reference || this.registered.has(reference)) return;
    const urn = providerUrn(reference);
    const id = reference.slice(urn.length + 2);
    const found = resources.find(({ state }) => state.urn === urn && state.id === id);
    if (found === undefined) throw new Error(`could not find provider ${reference}`);
    this.configure(urn, id, found.state.inputs ?? {});
  }

  /** Configures the provider of an unchanged provider resource. */
  same(urn: string, id: string, inputs: Properties): void {
    if (!this.registered.has(referenceOf(urn, id))) this.configure(urn, id, inputs);
  }

  async check(urn: string, olds: Properties, news: Properties): Promise<CheckAnswer> {
    const loaded = this.load(packageOf(typeOf(urn)));
    this.checked.set(urn, loaded);
    return loaded.checkConfig(urn, olds, news);
  }

  async diff({ oldOutputs, newInputs }: DiffRequest): Promise<DiffAnswer> {
    const changes = !equalValues(mapWithoutSecrets(oldOutputs), mapWithoutSecrets(newInputs));
    return { changes, replaceKeys: [], deleteBeforeReplace: false };
  }

  async create(urn: string, inputs: Properties, preview: boolean): Promise<Live> {
    const id = preview ? UNKNOWN : randomUUID();
    this.configure(urn, id, inputs);
    return { id, outputs: inputs };
  }

  async update({ urn, id, newInputs }: DiffRequest): Promise<Live> {
    this.configure(urn, id, newInputs);
    return { id, outputs: newInputs };
  }

  async read(): Promise<Live> {
    throw new Error("provider resources may not be read");
  }

  /** The provider's process ends with the run. */
  async delete(): Promise<void> {}

  /** A provider is configured once, so that another configuration needs another process. */
  private configure(urn: string, id: string, inputs: Properties): void {
    const loaded = this.checked.get(urn) ?? this.load(packageOf(typeOf(urn)));
    this.checked.delete(urn);
    this.registered.set(referenceOf(urn, id), loaded.configure(urn, id, inputs));
  }
}

function referenceOf(urn: string, id: string): string {
  return `${urn}::${id}`;
}
