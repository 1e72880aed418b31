import { noteHolder } from "../keys/holders";
import { urnIn } from "../keys/identity";
import { type Difference, diff } from "../schema/diff";
import type { Context, Properties, ResourceType } from "../schema/resource-type";
import type { Session } from "./session";

/** Compares a resource with new inputs, and records the keys that it holds. */
export function difference(
  session: Session,
  type: ResourceType,
  id: string,
  outputs: Properties,
  inputs: Properties,
  context: Context,
): Difference & { readonly driftOnly: boolean } {
  const driftOnly = session.takeRefresh(id, context.urn);
  const terms = { now: context.now(), fingerprint: () => context.fingerprint(), driftOnly };
  const found = diff(type, outputs, inputs, terms);
  // A refresh can compare a predecessor that is still to be deleted: it does not show what is held.
  if (!driftOnly) noteHolder(type, id, outputs, context, urnIn(outputs.owner));
  return { ...found, driftOnly };
}
