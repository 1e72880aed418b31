import type { Account, Operation } from "../api";
import { type GetOperationsArgs, operationPages } from "./list-operations";

/** The project's operations that match, newest first, all at once. */
export async function getOperations(account: Account, args: GetOperationsArgs): Promise<Operation[]> {
  const pages: Operation[][] = [];
  for await (const page of operationPages(account, args)) pages.push(page);
  return pages.flat();
}
