import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyplaneError, messageOf } from "../errors";

/** Files of earlier runs are removed at this age, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/**
 * Keys that the processes of one run tell each other of. After an upgrade of the plugin, the process of the former
 * version deletes what the new one has replaced or continues, and the engine tells neither of the other. So each process
 * has a file of ids in a temporary folder, which counts while the process runs. Its name is the port of the engine that
 * they share, and the id of the process.
 */
export class RunKeys {
  readonly #run: string;
  readonly #file: string;
  /** Ids by the URN of the resource that holds them. */
  readonly #held = new Map<string, readonly string[]>();

  /** @param address - The engine's address. */
  constructor(
    address: string,
    private readonly folder = join(tmpdir(), `keyplane-${process.getuid?.() ?? "runs"}`),
    pid = process.pid,
  ) {
    this.#run = `${address.split(":").at(-1)}-`;
    this.#file = `${this.#run}${pid}`;
  }

  /** Tells the other processes which keys a resource holds. Throws a `KP-CONFIG` if the folder cannot be written. */
  share(urn: string, ids: readonly string[]): void {
    this.#held.set(urn, ids);
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      for (const file of readdirSync(this.folder)) this.#removeOld(join(this.folder, file));
      // Another process reads either all of it or none.
      const draft = join(this.folder, `new-${this.#file}`);
      writeFileSync(draft, [...this.#held.values()].flat().join("\n"));
      renameSync(draft, join(this.folder, this.#file));
    } catch (error) {
      throw new KeyplaneError(
        "KP-CONFIG",
        `the folder ${this.folder} cannot be written: ${messageOf(error)}. Set TMPDIR to a folder that can be written`,
      );
    }
  }

  /** Ids of the keys that other processes hold. */
  ofOthers(): readonly string[] {
    const files = this.#files().filter((file) => file.startsWith(this.#run) && file !== this.#file && isAlive(file));
    return files.flatMap((file) => readFileSync(join(this.folder, file), "utf8").split("\n")).filter((id) => id !== "");
  }

  #files(): readonly string[] {
    try {
      return readdirSync(this.folder);
    } catch {
      return [];
    }
  }

  #removeOld(path: string): void {
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && mtimeMs < Date.now() - MAX_AGE_MS) rmSync(path, { force: true });
  }
}

/** Whether the process of a file runs: an engine of a later run can have the same port. */
function isAlive(file: string): boolean {
  try {
    process.kill(Number(file.split("-")[1]), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
