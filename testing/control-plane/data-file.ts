import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** A file with the whole state. It is replaced as a whole, so that it stays loadable if the process is killed. */
export class DataFile {
  private writing: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param path - Path of the file. The file does not have to exist.
   * @param content - Returns the text to write.
   */
  constructor(
    private readonly path: string,
    private readonly content: () => string,
  ) {}

  /**
   * Returns the file's content, or `undefined` if the file does not exist. Throws an error that names the file if it is
   * not a data file.
   */
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
      throw new Error(`the data file ${this.path} does not contain the state of a control plane`);
    }
  }

  /** Resolves when the current state is on disk. Calls during a write share the next write. */
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

  /** Saves within a second. Use it for changes that a response does not have to wait for. */
  saveSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      // If the disk fails, the next change reports the error.
      this.save().catch(() => undefined);
    }, 1000).unref();
  }

  /** Saves the current state and stops. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.save();
  }

  private async write(): Promise<void> {
    // A random name and an exclusive create, so that no existing link is followed.
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

  /** Removes the temporary files of processes that were killed during a write. */
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
