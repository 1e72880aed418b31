#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "./usage-error";

const help = `Usage: keyplane COMMAND [OPTIONS]

Commands:
  serve    serves the control plane on this machine, for tests and for trying things out

  keyplane help COMMAND    tells more about a command
  keyplane --version       prints the version
`;

// Each command is loaded only when it is called, so that none pays for another's dependencies.
const commands: Record<string, () => Promise<{ run(args: string[]): Promise<void>; help: string }>> = {
  serve: async () => {
    const { serve, serveHelp } = await import("./serve.js");
    return { run: serve, help: serveHelp };
  },
};

function version(): string {
  // The same file from the sources and from the compiled package, one folder deeper.
  for (const path of ["../package.json", "../../package.json"]) {
    try {
      return (JSON.parse(readFileSync(join(__dirname, path), "utf8")) as { version: string }).version;
    } catch {
      // Looked for in the other place.
    }
  }
  return "unknown";
}

async function main([name, ...args]: string[]): Promise<void> {
  if (name === "--version" || name === "-v") return console.log(version());
  const asks = name === "help" || name === "--help" || name === "-h";
  const command = asks ? args[0] : name;
  if (command === undefined && asks) return console.log(help);
  if (command === undefined) throw new UsageError("a command is needed");
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!load) throw new UsageError(`there is no command ${JSON.stringify(command)}`);
  const { run, help: commandHelp } = await load();
  if (asks || args.includes("--help") || args.includes("-h")) return console.log(commandHelp);
  await run(args);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    const usage = error instanceof UsageError;
    console.error(`keyplane: ${message}${usage ? "\nTry keyplane --help" : ""}`);
    process.exit(usage ? 2 : 1);
  },
);
