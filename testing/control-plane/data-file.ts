import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

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

  /** What the file holds; `undefined` if there is none. Throws an error that names the file if it is of another kind. */
  async load(): Promise<unknown> {
    await this.removeLeftovers();
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw new Error(`the data file cannot be read (${codeOf(error)})`);
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
    // A name that nobody can know before, and a file that must not exist: no link that lies there is followed.
    const temporary = join(dirname(this.path), this.temporaryName(randomUUID()));
    const file = await open(temporary, "wx", 0o600).catch((error) => {
      throw new Error(`the data file cannot be written (${codeOf(error)})`);
    });
    try {
      await file.writeFile(this.content());
      await file.sync();
      await rename(temporary, this.path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  private temporaryName(id: string): string {
    return `.${basename(this.path)}.${id}.tmp`;
  }

  /** Removes what a process left behind that was killed while it wrote. */
  private async removeLeftovers(): Promise<void> {
    const folder = dirname(this.path);
    const [before = "", after = ""] = this.temporaryName("/").split("/");
    const names = await readdir(folder).catch(() => []);
    const left = names.filter((name) => {
      return name.startsWith(before) && name.endsWith(after) && UUID.test(name.slice(before.length, -after.length));
    });
    await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
  }
}
