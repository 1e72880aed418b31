import { execFileSync } from "node:child_process";

/** Runs npm and returns its output. */
export function npm(args, cwd) {
  // npm sets this variable for its scripts. On Windows, `npm` alone is not an executable.
  const own = process.env.npm_execpath;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  return own?.endsWith("npm-cli.js")
    ? output(process.execPath, [own, ...args, ...quiet], cwd)
    : output("npm", [...args, ...quiet], cwd);
}

/** Runs a program and returns its output. An error includes the output. */
export function output(file, args, cwd, env = process.env) {
  try {
    return execFileSync(file, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${file} ${args.join(" ")}\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}
