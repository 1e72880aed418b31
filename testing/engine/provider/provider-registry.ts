/** The providers of a run. */
import { randomUUID } from "node:crypto";
import { providerUrn } from "../state/checkpoint";
import type { Properties } from "../state/property";
import type { Resource } from "../state/resource";
import { packageOf, typeOf } from "../state/urn";
import { equalValues, mapWithoutSecrets, UNKNOWN } from "../state/values";
import { type PackageVersion, packageVersionOf, withoutInternals, withVersionOf } from "./package-version";
import type { CheckAnswer, DiffAnswer, DiffRequest, Live, LoadedProvider, PackageProvider, Provider } from "./provider";

/** The package of Node's dynamic providers. */
export const DYNAMIC_PACKAGE = "pulumi-nodejs";

/** Starts the provider of a package. */
export type LoadProvider = (packageName: string, version: PackageVersion) => LoadedProvider;

interface Registered {
  readonly loaded: LoadedProvider;
  readonly provider: PackageProvider;
}

/** Finds providers by their references, and manages provider resources. Each provider resource has its own provider. */
export class ProviderRegistry implements Provider {
  private readonly registered = new Map<string, Registered>();
  /** The providers that were checked and are not configured yet, by URN. */
  private readonly checked = new Map<string, LoadedProvider>();

  constructor(private readonly load: LoadProvider) {}

  /** Returns the provider of a reference, if it is registered. */
  get(reference: string): PackageProvider | undefined {
    return this.registered.get(reference)?.provider;
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
    const inputs = found.state.inputs ?? {};
    this.configure(urn, id, inputs, this.loadFor(urn, inputs));
  }

  /** Configures the provider of an unchanged provider resource. */
  same(urn: string, id: string, inputs: Properties): void {
    if (id === "" || id === UNKNOWN) throw new Error(`provider '${urn}' has an unknown ID`);
    if (this.registered.has(referenceOf(urn, id))) return;
    this.configure(urn, id, inputs, this.takeChecked(urn) ?? this.loadFor(urn, inputs));
  }

  /** Whether the configuration of a provider resource requires that the resources of another one are replaced. */
  async diffProviders(reference: string, request: DiffRequest): Promise<DiffAnswer> {
    const loaded = this.registered.get(reference)?.loaded;
    if (loaded === undefined) throw new Error(`failed to resolve provider reference: "${reference}"`);
    return loaded.diffConfig(withoutInternalsOf(request));
  }

  async check(urn: string, olds: Properties, news: Properties): Promise<CheckAnswer> {
    const loaded = this.loadFor(urn, news);
    const close = () => void loaded.close();
    const answer = await loaded
      .checkConfig(urn, withoutInternals(olds), withoutInternals(news))
      .catch((error: Error) => {
        close();
        throw error;
      });
    if (answer.failures.length > 0) {
      close();
      return answer;
    }
    this.checked.set(urn, loaded);
    return { inputs: withVersionOf(news, answer.inputs, urn), failures: [] };
  }

  async diff(request: DiffRequest): Promise<DiffAnswer> {
    const { urn, id, oldOutputs, newInputs } = request;
    const loaded = this.checked.get(urn) ?? this.registered.get(referenceOf(urn, id))?.loaded;
    if (loaded === undefined) throw new Error(`the provider ${urn} was not checked`);
    const answer = await loaded.diffConfig(withoutInternalsOf(request));
    const isReplaced = answer.replaceKeys.length > 0 || Object.values(answer.details ?? {}).some(Boolean);
    // The check before the replacement starts another one.
    if (isReplaced) void loaded.close();
    if (answer.changes !== undefined) return answer;
    const [before, after] = [oldOutputs, withoutInternals(newInputs)].map(mapWithoutSecrets);
    return { ...answer, changes: !equalValues(before, after) };
  }

  async create(urn: string, inputs: Properties, preview: boolean): Promise<Live> {
    const id = preview ? UNKNOWN : randomUUID();
    this.configure(urn, id, inputs, this.takeChecked(urn) ?? this.loadFor(urn, inputs));
    return { id, outputs: withoutInternals(inputs) };
  }

  async update({ urn, id, newInputs }: DiffRequest): Promise<Live> {
    const loaded = this.takeChecked(urn);
    if (loaded === undefined) throw new Error(`the provider ${urn} was not checked`);
    const before = this.registered.get(referenceOf(urn, id));
    this.configure(urn, id, newInputs, loaded);
    if (before) void before.loaded.close();
    return { id, outputs: withoutInternals(newInputs) };
  }

  async read(): Promise<Live> {
    throw new Error("provider resources may not be read");
  }

  async delete(urn: string, id: string): Promise<void> {
    const reference = referenceOf(urn, id);
    const registered = this.registered.get(reference);
    this.registered.delete(reference);
    await registered?.loaded.close();
  }

  private loadFor(urn: string, inputs: Properties): LoadedProvider {
    return this.load(packageOf(typeOf(urn)), packageVersionOf(inputs));
  }

  private takeChecked(urn: string): LoadedProvider | undefined {
    const loaded = this.checked.get(urn);
    this.checked.delete(urn);
    return loaded;
  }

  private configure(urn: string, id: string, inputs: Properties, loaded: LoadedProvider): void {
    const provider = loaded.configure(urn, id, withoutInternals(inputs));
    this.registered.set(referenceOf(urn, id), { loaded, provider });
  }
}

function referenceOf(urn: string, id: string): string {
  return `${urn}::${id}`;
}

function withoutInternalsOf(request: DiffRequest): DiffRequest {
  const { oldInputs, newInputs } = request;
  return { ...request, oldInputs: withoutInternals(oldInputs), newInputs: withoutInternals(newInputs) };
}
