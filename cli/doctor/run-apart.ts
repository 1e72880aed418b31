import { execFile } from "node:child_process";

/**
 * Environment variables to pass on: what a process needs to start and to find files, and nothing that could be secret.
 */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"],
]);

/** Options of a process. */
export interface RunApartOptions {
  /** The working directory. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  /** Additional variables. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The result of a process. */
export interface RanApart {
  /** Absent if the process exited with code 0. */
  readonly error: (Error & { readonly code?: string | number | null }) | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs third-party code in its own process, without the settings and credentials of this process's environment. */
export function runApart(command: string, args: readonly string[], options: RunApartOptions): Promise<RanApart> {
  const { cwd, timeoutMs, env } = options;
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase()));
  return new Promise((resolve) => {
    // A program can ignore any other signal.
    const apart = {
      cwd,
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      env: { ...Object.fromEntries(passedOn), ...env },
    } as const;
    execFile(command, args, apart, (error, stdout, stderr) => resolve({ error: error ?? undefined, stdout, stderr }));
  });
}
