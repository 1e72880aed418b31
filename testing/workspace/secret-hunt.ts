import { existsSync, readFileSync } from "node:fs";
import type { IssuedSecrets } from "../control-plane/issued-secrets";
import type { RunResult } from "./run-result";
import { type SecretFinding, searchSecrets } from "./search-secrets";

const LOOK_MS = 250;
const SHORTEST = 8;

/**
 * Looks for secrets that control planes have issued: in the files of a workspace, in what its runs
 * printed, and in the environments and command lines of its processes.
 */
export class SecretHunt {
  private readonly printed: Record<string, string> = {};
  private readonly environments = new Set<string>();
  private readonly configured = new Set<string>();

  /** @param processes - The workspace's processes that live now. */
  constructor(private readonly processes: () => readonly number[]) {}

  /** Watches the processes of a run until it has ended, and keeps what it printed. */
  watch(name: string, done: Promise<RunResult>): void {
    const timer = setInterval(() => this.look(), LOOK_MS);
    timer.unref();
    const end = () => clearInterval(timer);
    done.then(({ stdout, stderr }) => {
      end();
      this.printed[`what ${name} printed (run ${Object.keys(this.printed).length + 1})`] = stdout + stderr;
    }, end);
  }

  /** Notes a secret of the stack's configuration, which Pulumi itself hands to the program in its environment. */
  allowInEnvironments(secret: string): void {
    this.configured.add(secret);
  }

  /** What was found. The admin key and secret configuration are looked for, too, but not in environments. */
  async findings(directory: string, { admin, keys }: IssuedSecrets): Promise<SecretFinding[]> {
    const known = { ...named("setting", admin), ...named("key", keys) };
    const paths = existsSync(directory) ? [directory] : [];
    const inFiles = await searchSecrets(known, { paths, texts: this.printed });
    const texts = { "the environment or command line of a process": [...this.environments].join("\0") };
    const elsewhere = named(
      "key",
      keys.map((secret) => (this.configured.has(secret) ? "" : secret)),
    );
    return [...inFiles, ...(await searchSecrets(elsewhere, { texts }))];
  }

  private look(): void {
    for (const pid of this.processes()) {
      for (const file of ["environ", "cmdline"]) {
        try {
          this.environments.add(readFileSync(`/proc/${pid}/${file}`, "utf8"));
        } catch {
          // It has ended since.
        }
      }
    }
  }
}

/** Names secrets in the order in which they came to be, and leaves out what is too short to be searched for. */
function named(kind: "setting" | "key", secrets: readonly string[]): Record<string, string> {
  const numbered = secrets.map((secret, at): [string, string] => [`the secret of ${kind} ${at + 1}`, secret]);
  return Object.fromEntries(numbered.filter(([, secret]) => secret.length >= SHORTEST));
}
