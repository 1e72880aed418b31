import type { Account, Project } from "../api";
import type { CallArgs } from "./args";

/** All projects of the account; warns if the service has left some out for lack of time. */
export async function getProjects(account: Account, args: CallArgs = {}): Promise<Project[]> {
  return account.projects.list({ signal: args.signal, onWarning: args.onWarning });
}
