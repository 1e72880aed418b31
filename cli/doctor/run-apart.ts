import { type ExecFileException, execFile } from "node:child_process";

/**
 * Environment variables to pass on: what a process needs to start and to find files, and nothing that could be secret.
 */
const PASSED_ON = new Set([
  ...["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP"],
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"],
  ...["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"],
]);

/** The environment of this process, without its settings and credentials. */
export function passedOn(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.has(name.toUpperCase())));
}

/**
 * Runs third-party code in its own process, without the settings and credentials of this process's environment. The
 * result has an error unless the process exits with code 0.
 */
export function runApart(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly timeout: number },
) {
  // A program can ignore any other signal.
  const apart = { ...options, killSignal: "SIGKILL", env: passedOn() } as const;
  return new Promise<{ error: ExecFileException | undefined; stdout: string; stderr: string }>((resolve) => {
    execFile(command, args, apart, (error, stdout, stderr) => resolve({ error: error ?? undefined, stdout, stderr }));
  });
}
