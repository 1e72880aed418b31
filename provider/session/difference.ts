import { noteHolder } from "../keys/holders";
import { urnIn } from "../keys/identity";
import { nextDue } from "../keys/key-fields";
import { isRenamedFrom, stackIn } from "../keys/renamed";
import { scopeOf } from "../keys/scope";
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
  hasLedger: boolean,
): Difference & { readonly driftOnly: boolean } {
  const driftOnly = session.takeRefresh(id, context.urn);
  const renamedFrom = () => session.renamedFrom();
  const terms = { now: context.now(), accountMark: () => context.accountMark(), renamedFrom, driftOnly, hasLedger };
  const found = diff(type, outputs, inputs, terms);
  // A refresh can compare a predecessor that is still to be deleted: it does not show what is held.
  if (!driftOnly) {
    noteHolder(type, id, outputs, context, urnIn(outputs.owner));
    reportRename(type, outputs, context, renamedFrom());
    reportOrigin(session, inputs, context);
    noteAge(found, outputs, inputs, context);
  }
  return { ...found, driftOnly };
}

/** Says once per run that the address is new. A preview makes no request that could be refused. */
function reportOrigin(session: Session, inputs: Properties, { run, warn }: Context): void {
  if (run.isOriginReported) return;
  const refusal = session.refusedOrigin(scopeOf(inputs));
  if (refusal === undefined) return;
  run.isOriginReported = true;
  warn(refusal.message);
}

/** Records that only the age of a key replaces it, by this machine's clock. The replacement asks the service's clock. */
function noteAge({ replaces }: Difference, outputs: Properties, inputs: Properties, { run, urn }: Context): void {
  const due = nextDue(outputs.createdAt, inputs);
  if (due !== undefined && replaces.every((field) => field === "rotateAfter") && replaces.length > 0) {
    run.replacedByAge.set(urn, due);
  } else run.replacedByAge.delete(urn);
}

/** Names the keys of a renamed or copied stack that it no longer revokes, and how to keep them. */
function reportRename(type: ResourceType, outputs: Properties, context: Context, renamedFrom: readonly string[]): void {
  const [before, now] = [stackIn(urnIn(outputs.owner) ?? String(outputs.resourceUrn ?? "")), stackIn(context.urn)];
  const keys = type.holds?.(outputs) ?? [];
  const isSame = before.stack === "" || (before.stack === now.stack && before.project === now.project);
  if (isSame || keys.length === 0 || isRenamedFrom(before, now, renamedFrom)) return;
  const former = before.project === now.project ? before.stack : `${before.project}/${before.stack}`;
  context.warn(
    `the stack was renamed or copied from ${before.project}/${before.stack}. This stack does not revoke key ` +
      `${keys.map(({ id }) => id).join(", ")}. If it was renamed, run \`pulumi config set --path 'keyplane:renamedFrom[0]' ` +
      `${former}\` before \`pulumi up\`, and it keeps its keys`,
  );
}
