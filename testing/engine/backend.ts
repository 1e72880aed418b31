/** Where stacks live: the layout of Pulumi's file backend, `.pulumi/` in a folder, with its locks. */

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Checkpoint, type Deployment, requireSchema } from "./checkpoint";

/** A folder of stacks. */
export class FileBackend {
  constructor(
    /** The folder that holds `.pulumi`. */
    readonly directory: string,
  ) {}

  /** The backend of `PULUMI_BACKEND_URL`: `file://DIR`, where DIR is absolute or begins with `~`. No other kind is supported. */
  static fromUrl(url: string | undefined): FileBackend {
    if (!url) throw new Error("no backend: set PULUMI_BACKEND_URL to file://DIR");
    if (!url.startsWith("file://")) {
      throw new Error("unsupported backend: PULUMI_BACKEND_URL must be file://DIR, the embedded engine has no other");
    }
    if (url.startsWith("file://~")) return new FileBackend(join(homedir(), url.slice("file://~".length)));
    return new FileBackend(fileURLToPath(url));
  }

  /** The state file of a stack. */
  stackFile(project: string, stack: string): string {
    return join(this.directory, ".pulumi", "stacks", project, `${stack}.json`);
  }

  /** What a stack's state says of its own name. */
  static qualifiedName(project: string, stack: string): string {
    return `organization/${project}/${stack}`;
  }

  /** Whether the stack exists. */
  async has(project: string, stack: string): Promise<boolean> {
    return (await readIfPresent(this.stackFile(project, stack))) !== undefined;
  }

  /** The last deployment of a stack, its secrets as ciphertext; undefined when there is none yet. */
  async load(project: string, stack: string): Promise<Deployment | undefined> {
    const path = this.stackFile(project, stack);
    const text = await readIfPresent(path);
    if (text === undefined) return undefined;
    const file = JSON.parse(text) as Checkpoint;
    requireSchema(path, file);
    return file.checkpoint.latest;
  }

  /** Makes the folders of a stack, and the backend's own file, where they are not there. */
  async prepare(project: string): Promise<void> {
    await mkdir(join(this.directory, ".pulumi", "stacks", project), { recursive: true });
    await writeFile(join(this.directory, ".pulumi", "meta.yaml"), "version: 1\n", { flag: "wx" }).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }

  /**
   * Locks a stack for this process.
   * @returns what unlocks it.
   * @throws where another process holds it, or held it and was killed; says by whom and since when.
   */
  async lock(project: string, stack: string): Promise<() => Promise<void>> {
    const directory = this.lockDirectory(project, stack);
    await mkdir(directory, { recursive: true });
    const name = `${randomUUID()}.json`;
    await this.refuseOtherLocks(directory, name);
    const content = { pid: process.pid, username: userInfo().username, hostname: hostname(), timestamp: new Date() };
    await writeFile(join(directory, name), JSON.stringify(content));
    const unlock = () => rm(join(directory, name), { force: true });
    // Looked for again: two processes may have looked before either wrote its own.
    await this.refuseOtherLocks(directory, name).catch(async (error) => {
      await unlock();
      throw error;
    });
    return unlock;
  }

  /** Removes all locks of a stack, as `pulumi cancel` does. */
  async cancel(project: string, stack: string): Promise<void> {
    const directory = this.lockDirectory(project, stack);
    for (const name of await namesIn(directory)) await unlink(join(directory, name));
  }

  private lockDirectory(project: string, stack: string): string {
    return join(this.directory, ".pulumi", "locks", "organization", project, stack);
  }

  private async refuseOtherLocks(directory: string, own: string): Promise<void> {
    const others = (await namesIn(directory)).filter((name) => name !== own);
    if (others.length === 0) return;
    const holders = await Promise.all(others.map((name) => describeLock(join(directory, name))));
    throw new Error(
      `the stack is currently locked by ${others.length} lock(s). Either wait for the other process(es) to end ` +
        `or delete the lock with \`cancel\`.\n${holders.map((holder) => `  ${holder}`).join("\n")}`,
    );
  }
}

async function describeLock(path: string): Promise<string> {
  try {
    const lock = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
    return `${path}: created by ${lock.username}@${lock.hostname} (pid ${lock.pid}) at ${lock.timestamp}`;
  } catch {
    return path;
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch((error) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
