import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyplaneError, messageOf } from "../errors";

/** Files of earlier runs are removed at this age, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/** The keys of a resource. */
export interface Holding {
  /** The base URL of the service. Another service can have other keys with the same ids. */
  readonly service: string;
  /** The resource's id. */
  readonly resource: string;
  /** Ids of the keys that it holds. */
  readonly keys: readonly string[];
  /** Ids of the keys that it has retired: the deletion of a resource that it replaced revokes them. */
  readonly retiring: readonly string[];
}

/**
 * Keys that the processes of one run tell each other of. After an upgrade of the plugin, the process of the former
 * version deletes what the new one has replaced or continues, and the engine tells neither of the other. So each process
 * has a file in a temporary folder, which counts while the process runs. Its name is the port of the engine that they
 * share, and the id of the process. Each change of a resource is a line, and the last one counts.
 */
export class RunKeys {
  readonly #run: string;
  readonly #file: string;
  #isFirst = true;

  /** @param address - The engine's address. */
  constructor(
    address: string,
    private readonly folder = join(tmpdir(), `keyplane-${process.getuid?.() ?? "runs"}`),
    pid = process.pid,
  ) {
    this.#run = `${address.split(":").at(-1)}-`;
    this.#file = `${this.#run}${pid}`;
  }

  /** Tells the other processes the keys of a resource. Throws a `KP-CONFIG` if the folder cannot be used. */
  share(urn: string, holding: Holding): void {
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      if (!isOurs(this.folder)) throw new Error("it belongs to another user, or others can write to it");
      if (this.#isFirst) for (const file of readdirSync(this.folder)) removeOld(join(this.folder, file));
      // A process that has ended can have had the same id.
      const flag = this.#isFirst ? "w" : "a";
      writeFileSync(join(this.folder, this.#file), `${JSON.stringify([urn, holding])}\n`, { flag });
      this.#isFirst = false;
    } catch (error) {
      throw new KeyplaneError(
        "KP-CONFIG",
        `the folder ${this.folder} cannot be used: ${messageOf(error)}. Set TMPDIR to a folder that can be written`,
      );
    }
  }

  /** The keys of a service that resources of other processes have. Leaves out the resource that is deleted. */
  ofOthers(service: string, deleted: string): Pick<Holding, "keys" | "retiring"> {
    const holdings = this.#files()
      .filter((file) => file.startsWith(this.#run) && file !== this.#file && isAlive(file))
      .flatMap((file) => holdingsIn(join(this.folder, file)));
    return keysOf(holdings, service, deleted);
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

/** The keys of a service among holdings. Leaves out the resource that is deleted. */
export function keysOf(
  holdings: readonly Holding[],
  service: string,
  deleted: string,
): Pick<Holding, "keys" | "retiring"> {
  const known = holdings.filter((each) => each.service === service && each.resource !== deleted);
  return { keys: known.flatMap(({ keys }) => keys), retiring: known.flatMap(({ retiring }) => retiring) };
}

/** The last holding of each resource. */
function holdingsIn(path: string): readonly Holding[] {
  const lines = readFileSync(path, "utf8").split("\n").flatMap(entriesIn);
  return [...new Map(lines).values()];
}

/** What a line says. Nothing if another process is still writing it, or if another version of the plugin wrote it. */
function entriesIn(line: string): readonly [urn: string, holding: Holding][] {
  try {
    const [urn, holding] = JSON.parse(line);
    return Array.isArray(holding.keys) && Array.isArray(holding.retiring) ? [[urn, holding]] : [];
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
