import { existsSync, readFileSync } from "node:fs";
import type { IssuedSecrets } from "../control-plane/issued-secrets";
import type { RunResult } from "./run-result";
import { type SecretFinding, searchSecrets } from "./search-secrets";

const LOOK_MS = 250;
const SHORTEST = 8;

/**
 * Searches for secrets issued by control planes: in a workspace's files, in the output of its runs, and in the
 * environments and command lines of its processes.
 */
export class SecretHunt {
  private readonly printed: Record<string, string> = {};
  private readonly environments = new Set<string>();
  private readonly configured: string[] = [];

  /** @param processes - Returns the workspace's running processes. */
  constructor(private readonly processes: () => readonly number[]) {}

  /** Watches the processes of a run until it ends, and keeps its output. */
  watch(name: string, done: Promise<RunResult>): void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
    const end = () => clearInterval(timer);
    done.then(({ stdout, stderr }) => {
      end();
      this.printed[`what ${name} printed (run ${Object.keys(this.printed).length + 1})`] = stdout + stderr;
    }, end);
  }

  /**
   * Registers a secret of the stack's configuration, which can be a structure with several secrets. Pulumi itself passes
   * these to the program in its environment.
   */
  allowInEnvironments(secret: string): void {
    this.configured.push(secret);
  }

  /** Returns the findings. The admin key and secret configuration are allowed in environments, but nowhere else. */
  async findings(directory: string, { admin, keys }: IssuedSecrets): Promise<SecretFinding[]> {
    const known = { ...named("setting", admin), ...named("key", keys) };
    const paths = existsSync(directory) ? [directory] : [];
    const inFiles = await searchSecrets(known, { paths, texts: this.printed });
    const texts = { "the environment or command line of a process": [...this.environments].join("\0") };
    const elsewhere = named(
      "key",
      keys.map((secret) => (this.configured.some((value) => value.includes(secret)) ? "" : secret)),
    );
    return [...inFiles, ...(await searchSecrets(elsewhere, { texts }))];
  }

  private look(): void {
    for (const pid of this.processes()) {
      for (const file of ["environ", "cmdline"]) {
        try {
          this.environments.add(readFileSync(`/proc/${pid}/${file}`, "utf8"));
        } catch {
          // The process has ended.
        }
      }
    }
  }
}

/** Numbers secrets in creation order. Omits secrets that are too short to search for. */
function named(kind: "setting" | "key", secrets: readonly string[]): Record<string, string> {
  const numbered = secrets.map((secret, at): [string, string] => [`the secret of ${kind} ${at + 1}`, secret]);
  return Object.fromEntries(numbered.filter(([, secret]) => secret.length >= SHORTEST));
}
