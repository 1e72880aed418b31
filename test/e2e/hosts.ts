import { readFileSync } from "node:fs";
import type { Workspace } from "keyplane/testing";

/** The processes of a workspace that run providers. Other processes of an engine may outlive it. */
export function hostsOf(workspace: Workspace): readonly number[] {
  return workspace.processes().filter((pid) => /dynamic-provider|pulumi-resource-/.test(commandOf(pid)));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
