import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameInUrn } from "../keys/names";

/** Files of earlier runs are removed at this age, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * The default providers that the program of this run uses. After an upgrade of the plugin, the state has one of each
 * version, each with its own process, and the engine tells no process of the others. So each leaves an empty file in a
 * temporary folder. Its name begins with the port of the engine that they share.
 */
export class RunProviders {
  readonly #run: string;

  /** @param address - The engine's address. */
  constructor(
    address: string,
    private readonly folder = join(tmpdir(), `keyplane-${process.getuid?.() ?? "runs"}`),
  ) {
    this.#run = `${address.split(":").at(-1)}-`;
  }

  /** Records that the program uses a default provider. */
  add(urn: string): void {
    if (!isDefault(urn)) return;
    try {
      this.#open();
      for (const file of readdirSync(this.folder)) this.#removeOld(join(this.folder, file));
      writeFileSync(join(this.folder, this.#nameOf(urn)), "");
    } catch {
      // The other processes cannot write there either, and expect a provider.
    }
  }

  /**
   * Whether the program may use another default provider than this one. For an explicit provider, this does not matter:
   * a resource that moves to another one is replaced, with another key.
   */
  hasOther(urn: string): boolean {
    if (!isDefault(urn)) return false;
    try {
      this.#open();
      return readdirSync(this.folder).some((file) => file.startsWith(this.#run) && file !== this.#nameOf(urn));
    } catch {
      return true;
    }
  }

  #open(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    accessSync(this.folder, constants.W_OK);
  }

  #removeOld(path: string): void {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && mtimeMs < Date.now() - MAX_AGE_MS) rmSync(path, { force: true });
  }

  #nameOf(urn: string): string {
    return this.#run + encodeURIComponent(nameInUrn(urn)).slice(0, 200);
  }
}

function isDefault(urn: string): boolean {
  return /^default(_|$)/.test(nameInUrn(urn));
}
