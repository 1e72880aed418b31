import type { Account } from "../api";
import { getApiKey, getApiKeys } from "./api-keys";
import { getOperation, getOperations, waitForOperations } from "./operations";
import { getProject, getProjects } from "./projects";

/** A data source: its arguments, and the call. */
interface DataSource {
  readonly args: readonly string[];
  readonly call: (account: Account, args: never) => Promise<unknown>;
}

/** All data sources, by their names in the schema. */
export const dataSources: Readonly<Record<string, DataSource>> = {
  getApiKey: { args: ["id", "name", "organizationId"], call: getApiKey },
  getApiKeys: { args: ["organizationId"], call: getApiKeys },
  getOperation: { args: ["projectId", "operationId"], call: getOperation },
  getOperations: { args: ["projectId", "since", "status", "action", "limit"], call: getOperations },
  getProject: { args: ["id", "name"], call: getProject },
  getProjects: { args: [], call: getProjects },
  waitForOperations: {
    args: ["projectId", "operationIds", "operationTimeout", "pollInterval"],
    call: waitForOperations,
  },
};
