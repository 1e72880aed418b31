import { readFileSync } from "node:fs";
import type { Workspace } from "keyplane/testing";

/**
 * The processes of a workspace that run providers. Other processes of an engine may outlive it. The CLI starts the
 * dynamic provider with a shell.
 */
export function hostsOf(workspace: Workspace): readonly number[] {
  const isHost = (command: string) => /dynamic-provider|pulumi-resource-/.test(command) && !/^\S*sh\0/.test(command);
  return workspace.processes().filter((pid) => isHost(commandOf(pid)));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
