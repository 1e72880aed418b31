import { execFile } from "node:child_process";

/**
 * Environment variables to pass on: what a process needs to start and to find files, and nothing that could be secret.
 */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"],
]);

interface RanApart {
  /** Absent if the process exited with code 0. */
  readonly error: (Error & { readonly code?: string | number | null }) | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs third-party code in its own process, without the settings and credentials of this process's environment.
 * @param options - `env` has additional variables.
 */
export function runApart(
  command: string,
  args: readonly string[],
  { env, ...options }: { readonly cwd?: string; readonly timeout: number; readonly env?: NodeJS.ProcessEnv },
): Promise<RanApart> {
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase()));
  // A program can ignore any other signal.
  const apart = { ...options, killSignal: "SIGKILL", env: { ...Object.fromEntries(passedOn), ...env } } as const;
  return new Promise((resolve) => {
    execFile(command, args, apart, (error, stdout, stderr) => resolve({ error: error ?? undefined, stdout, stderr }));
  });
}
