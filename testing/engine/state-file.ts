/** A stack's state file: rewritten whole at every step, so that a kill at any moment leaves one that loads. */
import { rename, writeFile } from "node:fs/promises";
import { asWritten, type Deployment, type ResourceState, schemaOf } from "./checkpoint";
import type { PassphraseSecrets } from "./secrets";

/**
 * Writes deployments to a stack's state file, encrypted.
 *
 * A resource object is encrypted and turned into text once, however often the file is rewritten. So change a resource by
 * making a new object, never in place.
 */
export class StateFile {
  private readonly texts = new WeakMap<ResourceState, string>();
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(
    /** The file, as {@link FileBackend.stackFile} names it; its folder exists. */
    readonly path: string,
    /** The stack's qualified name. */
    private readonly stack: string,
    private readonly secrets: PassphraseSecrets,
    /** What to write: asked when a write begins. */
    private readonly current: () => Deployment,
  ) {}

  /**
   * Resolves once the current deployment is on disk. Calls made while a write is under way share the next one, so that
   * many steps ending together cost one write.
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
    const { version, features } = schemaOf(deployment);
    const schema = `"version":${version}${features ? `,"features":${JSON.stringify(features)}` : ""}`;
    return `{${schema},"checkpoint":{"stack":${JSON.stringify(this.stack)},"latest":{${fields.join(",")}}}}`;
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
