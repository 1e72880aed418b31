/**
 * Writes a stack's state file. Each step replaces the whole file, so that it stays loadable if the process is killed.
 */
import { rename, writeFile } from "node:fs/promises";
import { asWritten, type Deployment, FORMAT, type ResourceState } from "./checkpoint";
import type { PassphraseSecrets } from "./secrets";

/**
 * Writes deployments to a stack's state file, encrypted.
 *
 * Encrypts and serializes each resource object only once. To change a resource, create a new object. Never modify it in
 * place.
 */
export class StateFile {
  private readonly texts = new WeakMap<ResourceState, string>();
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(
    /** Path of the file, from {@link FileBackend.stackFile}. Its folder must exist. */
    readonly path: string,
    /** The stack's qualified name. */
    private readonly stack: string,
    private readonly secrets: PassphraseSecrets,
    /** Returns what to write. Called when a write starts. */
    private readonly current: () => Deployment,
  ) {}

  /**
   * Resolves when the current deployment is on disk. Calls during a write share the next write, so that many steps that
   * end together cost one write.
   */
  save(): Promise<void> {
    if (this.next !== undefined) return this.next;
    if (this.running === undefined) return this.begin();
    this.next = this.running.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  private begin(): Promise<void> {
    this.next = undefined;
    const write = this.write().finally(() => {
      if (this.running === write) this.running = undefined;
    });
    this.running = write;
    return write;
  }

  private async write(): Promise<void> {
    const temporary = `${this.path}.tmp`;
    await writeFile(temporary, this.serialize(this.current()));
    await rename(temporary, this.path);
  }

  private serialize(deployment: Deployment): string {
    const { manifest, resources, pending_operations, metadata = {} } = deployment;
    const operations = pending_operations?.map(
      ({ resource, type }) => `{"resource":${this.textOf(resource)},"type":${JSON.stringify(type)}}`,
    );
    const fields = [
      `"manifest":${JSON.stringify(manifest)}`,
      `"secrets_providers":${JSON.stringify(this.secrets.providers)}`,
      ...(resources?.length ? [`"resources":[${resources.map((resource) => this.textOf(resource)).join(",")}]`] : []),
      ...(operations?.length ? [`"pending_operations":[${operations.join(",")}]`] : []),
      `"metadata":${JSON.stringify(metadata)}`,
    ];
    return `{"version":${FORMAT},"checkpoint":{"stack":${JSON.stringify(this.stack)},"latest":{${fields.join(",")}}}}`;
  }

  private textOf(resource: ResourceState): string {
    let text = this.texts.get(resource);
    if (text === undefined) {
      text = JSON.stringify(asWritten(this.secrets.sealResource(resource)));
      this.texts.set(resource, text);
    }
    return text;
  }
}
