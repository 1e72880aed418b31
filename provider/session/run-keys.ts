import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyplaneError, messageOf } from "../errors";

/** Files of earlier runs are removed at this age, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/** The keys that a resource holds. */
export interface Holding {
  /** The base URL of the service. Another service can have other keys with the same ids. */
  readonly service: string;
  /** The resource's id. */
  readonly resource: string;
  /** Ids. */
  readonly keys: readonly string[];
}

/**
 * Keys that the processes of one run tell each other of. After an upgrade of the plugin, the process of the former
 * version deletes what the new one has replaced or continues, and the engine tells neither of the other. So each process
 * has a file in a temporary folder, which counts while the process runs. Its name is the port of the engine that they
 * share, and the id of the process.
 */
export class RunKeys {
  readonly #run: string;
  readonly #file: string;
  /** By the URN of the resource. */
  readonly #held = new Map<string, Holding>();

  /** @param address - The engine's address. */
  constructor(
    address: string,
    private readonly folder = join(tmpdir(), `keyplane-${process.getuid?.() ?? "runs"}`),
    pid = process.pid,
  ) {
    this.#run = `${address.split(":").at(-1)}-`;
    this.#file = `${this.#run}${pid}`;
  }

  /** Tells the other processes which keys a resource holds. Throws a `KP-CONFIG` if the folder cannot be used. */
  share(urn: string, holding: Holding): void {
    const isFirst = this.#held.size === 0;
    this.#held.set(urn, holding);
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      if (!isOurs(this.folder)) throw new Error("it belongs to another user, or others can write to it");
      if (isFirst) for (const file of readdirSync(this.folder)) removeOld(join(this.folder, file));
      // Another process reads either all of it or none.
      const draft = join(this.folder, `new-${this.#file}`);
      writeFileSync(draft, JSON.stringify([...this.#held.values()]));
      renameSync(draft, join(this.folder, this.#file));
    } catch (error) {
      throw new KeyplaneError(
        "KP-CONFIG",
        `the folder ${this.folder} cannot be used: ${messageOf(error)}. Set TMPDIR to a folder that can be written`,
      );
    }
  }

  /** Ids of the keys of a service that resources of other processes hold. Leaves out the resource that is deleted. */
  ofOthers(service: string, deleted: string): readonly string[] {
    return this.#files()
      .filter((file) => file.startsWith(this.#run) && file !== this.#file && isAlive(file))
      .flatMap((file) => holdingsIn(join(this.folder, file)))
      .filter((each) => each.service === service && each.resource !== deleted)
      .flatMap(({ keys }) => keys);
  }

  #files(): readonly string[] {
    try {
      return isOurs(this.folder) ? readdirSync(this.folder) : [];
    } catch {
      return [];
    }
  }
}

/** Whether only this user can write to the folder. */
function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

function holdingsIn(path: string): readonly Holding[] {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Holding[];
  } catch {
    return [];
  }
}

function removeOld(path: string): void {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs !== undefined && mtimeMs < Date.now() - MAX_AGE_MS) rmSync(path, { force: true });
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
