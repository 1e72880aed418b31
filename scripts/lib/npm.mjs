import { execFileSync } from "node:child_process";

/** Runs npm and answers what it printed. */
export function npm(args, cwd) {
  // npm tells its scripts where it is itself; on Windows `npm` alone is not a program.
  const own = process.env.npm_execpath;
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  return own?.endsWith("npm-cli.js")
    ? output(process.execPath, [own, ...args, ...quiet], cwd)
    : output("npm", [...args, ...quiet], cwd);
}

/** Runs a program and answers what it printed; an error holds it, too. */
export function output(file, args, cwd) {
  try {
    return execFileSync(file, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${file} ${args.join(" ")}\n${error.stdout ?? ""}${error.stderr ?? error.message}`);
  }
}
