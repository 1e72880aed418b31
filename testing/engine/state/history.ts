/** The history of a stack: a file for each run, as Pulumi's file backend writes it. */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Operation } from "../run/events";

/** A run in the history. */
export interface UpdateRecord {
  readonly kind: "update" | "refresh" | "destroy";
  /** When the run started, in seconds since 1970. */
  readonly startTime: number;
  /** How the run was started. Contains names of flags, but not their values. */
  readonly environment: Readonly<Record<string, string>>;
  readonly result: "succeeded" | "failed";
  /** When the run ended, in seconds since 1970. */
  readonly endTime: number;
  /** Number of steps by operation. */
  readonly resourceChanges: Readonly<Partial<Record<Operation, number>>>;
}

const END = ".history.json";

/** The files of one stack's history. */
export class History {
  /** @param directory - Its folder, which does not have to exist. */
  constructor(
    private readonly directory: string,
    private readonly stack: string,
  ) {}

  /** Adds a run. */
  async add(record: UpdateRecord): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    // The time in nanoseconds, so that the names sort by time.
    const path = join(this.directory, `${this.stack}-${Date.now()}000000${END}`);
    await writeFile(`${path}.tmp`, JSON.stringify(record));
    await rename(`${path}.tmp`, path);
  }

  /** Returns the latest `size` runs, the latest first. */
  async read(size: number): Promise<UpdateRecord[]> {
    const names = (await this.names()).filter((name) => name.endsWith(END)).toSorted();
    const shown = names.toReversed().slice(0, size);
    return Promise.all(
      shown.map(async (name) => JSON.parse(await readFile(join(this.directory, name), "utf8")) as UpdateRecord),
    );
  }

  /** Changes the latest run, if it was recorded at this time or later, in milliseconds since 1970. */
  async changeLatest(since: number, change: (record: UpdateRecord) => UpdateRecord): Promise<void> {
    const recordedAt = (name: string) => Number(/-(\d+)\d{6}\.history\.json$/.exec(name)?.[1] ?? Number.NaN);
    const name = (await this.names())
      .filter((each) => recordedAt(each) >= since)
      .toSorted()
      .at(-1);
    if (name === undefined) return;
    const path = join(this.directory, name);
    await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, "utf8")) as UpdateRecord)));
  }

  private names(): Promise<string[]> {
    return readdir(this.directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    });
  }
}
