#!/usr/bin/env node
import { VERSION } from "../../provider/version";
/** The embedded engine's command line: the supported subset of Pulumi's commands and flags. */
import { type DeployCommand, deploy } from "./command/deploy-command";
import { HELP } from "./command/help";
import { manage } from "./command/stack-command";
import { harmless } from "./display/text";

const DEPLOY: Readonly<Record<string, DeployCommand>> = {
  up: "up",
  update: "up",
  preview: "preview",
  refresh: "refresh",
  destroy: "destroy",
};

async function main([name = "", ...args]: readonly string[]): Promise<boolean> {
  const asked = [name, ...args];
  if (name === "" || name === "help" || asked.includes("--help") || asked.includes("-h")) {
    process.stdout.write(HELP);
    // An empty name is handled like a missing command.
    return name !== "";
  }
  if (name === "version" || name === "--version" || name === "-v") {
    process.stdout.write(`${VERSION}\n`);
    return true;
  }
  const command = DEPLOY[name];
  if (command) return deploy(command, args, process);
  const words = name === "stack" ? [name, ...args.slice(0, 1)] : [name];
  await manage(words, args.slice(words.length - 1), process.env);
  return true;
}

main(process.argv.slice(2)).then(
  (succeeded) => {
    if (!succeeded) process.exitCode = 255;
  },
  (error: Error) => {
    console.error(`error: ${harmless(error.message)}`);
    process.exitCode = 255;
  },
);
