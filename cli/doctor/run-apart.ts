import { execFile } from "node:child_process";

/** What a process gets of the environment: what it needs to start and to find files, and nothing that could be secret. */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"],
]);

/** How a process is run. */
export interface RunApartOptions {
  /** The folder that it runs in. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** Variables besides those that are passed on. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What came of a process. */
export interface RanApart {
  /** Absent where it ended with exit code 0. */
  readonly error: (Error & { readonly code?: string | number | null }) | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs code that is not keyplane's in a process of its own, which gets none of the settings and credentials of this one's
 * environment.
 */
export function runApart(command: string, args: readonly string[], options: RunApartOptions): Promise<RanApart> {
  const { cwd, timeoutMs, env } = options;
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase()));
  return new Promise((resolve) => {
    const apart = { cwd, timeout: timeoutMs, env: { ...Object.fromEntries(passedOn), ...env } };
    execFile(command, args, apart, (error, stdout, stderr) => resolve({ error: error ?? undefined, stdout, stderr }));
  });
}
