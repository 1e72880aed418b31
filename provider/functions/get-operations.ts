import { type Account, Collected, LIST_OPERATIONS, type Operation } from "../api";
import { type GetOperationsArgs, operationPages } from "./list-operations";

/** The project's operations that match, newest first, all at once. */
export async function getOperations(account: Account, args: GetOperationsArgs): Promise<Operation[]> {
  const collected = new Collected(LIST_OPERATIONS);
  const pages: (readonly Operation[])[] = [];
  for await (const page of operationPages(account, args)) pages.push(collected.take(page));
  return pages.flat();
}
