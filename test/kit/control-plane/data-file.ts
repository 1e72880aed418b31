import { open, readFile, rename } from "node:fs/promises";

/** A file that holds the whole state, replaced as a whole, so that a kill at any moment leaves one that loads. */
export class DataFile {
  private writing: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param path - The file; it need not exist.
   * @param content - Gives the text to be written.
   */
  constructor(
    private readonly path: string,
    private readonly content: () => string,
  ) {}

  /** What the file holds; `undefined` if there is none. Throws an error that names the file if it cannot be read. */
  async load(): Promise<unknown> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`the data file ${this.path} does not hold the state of a control plane`);
    }
  }

  /** Resolves when what stands now is on the disk. Calls that come while a write is under way share the next one. */
  save(): Promise<void> {
    if (!this.writing) {
      this.writing = this.write().finally(() => {
        this.writing = undefined;
      });
      return this.writing;
    }
    this.next ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        return this.save();
      });
    return this.next;
  }

  /** Saves within a second; for what need not be on the disk before an answer. */
  saveSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // The next change reports a disk that fails.
      this.save().catch(() => undefined);
    }, 1000).unref();
  }

  /** Saves what stands now and stops. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.save();
  }

  private async write(): Promise<void> {
    const temporary = `${this.path}.tmp`;
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(this.content());
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, this.path);
  }
}
