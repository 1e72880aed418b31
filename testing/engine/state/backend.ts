/** Pulumi's file backend: stacks in the `.pulumi/` folder, and their locks. */

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NotSupportedError } from "../refused";
import { type Checkpoint, type Deployment, FORMAT } from "./checkpoint";
import { History } from "./history";

/**
 * Whether the backend answers as a service that shows the changes of a run only at its end: `stack export` shows the state
 * from before the run in progress, and `stack history` that run, also after a kill, until `cancel`.
 */
const isLate = (): boolean => process.env.KEYPLANE_LATE_STATE === "true";

/** A run in progress, as a late backend shows it. */
interface RunInProgress {
  /** In seconds since 1970. */
  readonly startTime: number;
  readonly before: Deployment | undefined;
}

/** A folder of stacks. */
export class FileBackend {
  constructor(
    /** The folder that contains `.pulumi`. */
    readonly directory: string,
  ) {}

  /**
   * Opens the backend of `PULUMI_BACKEND_URL`: `file://DIR`, where DIR is absolute or starts with `~`. Other backends
   * are not supported.
   */
  static fromUrl(url: string | undefined): FileBackend {
    if (!url) throw new Error("no backend: set PULUMI_BACKEND_URL to file://DIR");
    if (!url.startsWith("file://")) throw new NotSupportedError("a PULUMI_BACKEND_URL other than file://DIR");
    if (url.startsWith("file://~")) return new FileBackend(join(homedir(), url.slice("file://~".length)));
    return new FileBackend(fileURLToPath(url));
  }

  /** The state file of a stack. */
  stackFile(project: string, stack: string): string {
    return join(this.directory, ".pulumi", "stacks", project, `${stack}.json`);
  }

  /** The history of a stack. */
  history(project: string, stack: string): History {
    return new History(join(this.directory, ".pulumi", "history", project, stack), stack);
  }

  /** The stack name that a state contains. */
  static qualifiedName(project: string, stack: string): string {
    return `organization/${project}/${stack}`;
  }

  /** Returns a stack's last deployment with encrypted secrets, or `undefined` if there is none. */
  async load(project: string, stack: string): Promise<Deployment | undefined> {
    const path = this.stackFile(project, stack);
    const text = await readIfPresent(path);
    if (text === undefined) return undefined;
    const file = JSON.parse(text) as Checkpoint;
    if (file.version !== FORMAT) throw new NotSupportedError(`version ${file.version} of a state (${path})`);
    return file.checkpoint.latest;
  }

  /** Creates the folders of a stack and the backend's metadata file, if they do not exist. */
  async prepare(project: string): Promise<void> {
    await mkdir(join(this.directory, ".pulumi", "stacks", project), { recursive: true });
    await writeFile(join(this.directory, ".pulumi", "meta.yaml"), "version: 1\n", { flag: "wx" }).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  }

  /**
   * Locks a stack for this process.
   * @returns a function that unlocks it.
   * @throws if another process holds the lock, or was killed while holding it. The message names the owner and the
   * time.
   */
  async lock(project: string, stack: string): Promise<() => Promise<void>> {
    const directory = this.lockDirectory(project, stack);
    await mkdir(directory, { recursive: true });
    const name = `${randomUUID()}.json`;
    await this.refuseOtherLocks(directory, name);
    const content = {
      pid: process.pid,
      username: userInfo().username,
      hostname: hostname(),
      timestamp: new Date(),
      ...(isLate() && { before: await this.load(project, stack) }),
    };
    await writeFile(join(directory, name), JSON.stringify(content));
    const unlock = () => rm(join(directory, name), { force: true });
    // Check again: two processes may both have checked before either wrote its lock.
    await this.refuseOtherLocks(directory, name).catch(async (error) => {
      await unlock();
      throw error;
    });
    return unlock;
  }

  /** The run in progress, as a late backend shows it. */
  async runInProgress(project: string, stack: string): Promise<RunInProgress | undefined> {
    const directory = this.lockDirectory(project, stack);
    const [name] = isLate() ? await namesIn(directory) : [];
    if (name === undefined) return undefined;
    const { timestamp, before } = JSON.parse(await readFile(join(directory, name), "utf8"));
    return { startTime: Math.floor(Date.parse(timestamp) / 1_000), before };
  }

  /** Removes all locks of a stack, as `pulumi cancel` does. */
  async cancel(project: string, stack: string): Promise<void> {
    const directory = this.lockDirectory(project, stack);
    const killed = await this.runInProgress(project, stack);
    if (killed !== undefined) {
      const { startTime } = killed;
      const endTime = Math.floor(Date.now() / 1_000);
      const record = {
        kind: "update",
        result: "failed",
        startTime,
        endTime,
        environment: {},
        resourceChanges: {},
      } as const;
      await this.history(project, stack).add(record);
    }
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
