import { getOrCreate } from "../../provider/get-or-create";
import { DYNAMIC } from "../../provider/resource-types";
import type { Deployment, StateResource } from "../../provider/stack/deployment";
import { OWNER_TYPE } from "../../provider/stack/stack-state";

/** Resources of the dynamic provider that use all keys, to look after them. */
const BOOKKEEPING: ReadonlySet<string> = new Set([`${DYNAMIC}Ledger`, OWNER_TYPE]);

/** The resources that use the outputs of each resource, by its URN, except keyplane's own and those about to be deleted. */
export function consumersIn({ resources }: Deployment): ReadonlyMap<string, readonly StateResource[]> {
  const consumers = new Map<string, StateResource[]>();
  for (const resource of resources) {
    if (resource.replaced || BOOKKEEPING.has(resource.type)) continue;
    for (const source of resource.sources) getOrCreate(consumers, source, () => []).push(resource);
  }
  return consumers;
}
