import type { Command } from "commander";
import type { Project } from "../provider/api";
import { counted } from "../provider/text";
import { type KeysFlags, openAccount, readOrganization, withAccount } from "./account";
import type { CommandRun } from "./command-run";
import { type Column, print, printInfo, printJson, printTable } from "./output";

interface Flags extends KeysFlags {
  readonly json?: true;
}

/** `keyplane projects`: lists the projects that keys can be limited to, and that `wait` can wait for. */
export function addProjects(program: Command, run: CommandRun): void {
  const command = program
    .command("projects")
    .description("lists projects: their ids, names, regions and organizations")
    .option("--organization <id>", "the projects of this organization", readOrganization)
    .option("--json", "prints JSON");
  withAccount(command).action((flags: Flags) => projects(flags, run));
}

const COLUMNS: readonly Column<Project>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "NAME", text: ({ name }) => name },
  { title: "REGION", text: ({ regionId }) => regionId ?? "-" },
  { title: "ORGANIZATION", text: ({ orgId }) => orgId ?? "-" },
];

async function projects({ organization: organizationId, json, ...flags }: Flags, run: CommandRun): Promise<void> {
  const warnings: string[] = [];
  const onWarning = (message: string) => {
    warnings.push(message);
    printInfo(message);
  };
  const found = await openAccount(flags).projects.list({ organizationId, signal: run.signal, onWarning });
  if (json) return printJson({ projects: found, warnings });
  printTable(found, COLUMNS);
  print(counted(found.length, "project"));
}
