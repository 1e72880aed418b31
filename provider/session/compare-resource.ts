import { noteHolder } from "../keys/holders";
import { formerName, isSameStack, sameOwner, stackIn, urnIn } from "../keys/identity";
import { nextDue } from "../keys/key-fields";
import { lostIn } from "../keys/lost-request";
import { sameScope, scopeOf } from "../keys/scope";
import { membersOf } from "../members";
import { type Difference, diff } from "../schema/diff";
import type { Planned } from "../schema/field-types";
import type { Given, Made, Outputs } from "../schema/outputs";
import type { Context, ResourceType } from "../schema/resource-type";
import type { Session } from "./session";

interface Compared extends Made {
  readonly type: ResourceType;
  readonly inputs: Planned<Given>;
}

/** Compares a resource with new inputs, and records the keys that it holds. */
export function compareResource(
  session: Session,
  resource: Compared,
  context: Context,
): Difference & { readonly driftOnly: boolean; readonly isSupposed: boolean } {
  const { type, outputs, inputs } = resource;
  const isSupposed = session.isSupposed(context.urn, inputs);
  const driftOnly = !isSupposed && session.takeRefresh(resource.id, context.urn);
  const found = diff(type, outputs, inputs, {
    now: context.now(),
    accountMark: () => context.accountMark(),
    renamedFrom: () => session.renamedFrom(),
    driftOnly,
    isSupposed,
    hasLedger: context.hasLedger,
  });
  // A refresh can compare a predecessor that is still to be deleted: it does not show what is held.
  if (!driftOnly) {
    noteHolder(type, resource, context, urnIn(outputs.owner));
    // Only an owner has the name of the stack.
    if (found.replaces.includes("stack")) context.run.formerStack ??= formerName(membersOf(outputs), membersOf(inputs));
    reportRename(resource, context, session.renamedFrom());
    reportOrigin(session, resource, context);
    noteReplaced(found, resource, context);
  }
  return { ...found, driftOnly, isSupposed };
}

/**
 * Says once per run that the address is new, because a preview makes no request that could be refused. Not what to do:
 * the `up` says that, which would otherwise have the whole text twice.
 */
function reportOrigin(session: Session, { inputs }: Compared, { run, warn }: Context): void {
  if (run.isOriginReported) return;
  const refusal = session.refusedOrigin(scopeOf(inputs));
  if (refusal === undefined) return;
  run.isOriginReported = true;
  warn(`${refusal.what}. \`pulumi up\` refuses requests to it, and says what to do [${refusal.code}]`);
}

/**
 * Records what the replacement of a key must know: its lost requests, and whether only its age replaces it, by this
 * machine's clock. The replacement asks the service's clock.
 */
function noteReplaced({ replaces }: Difference, { outputs, inputs }: Compared, { run, urn }: Context): void {
  const isByAge = replaces.length > 0 && replaces.every((field) => field === "rotateAfter");
  const due = isByAge ? nextDue(outputs.createdAt, inputs) : undefined;
  // In another scope, the replacement cannot find their keys.
  const lost = replaces.length > 0 && sameScope(outputs, inputs) ? lostIn(outputs) : {};
  // The engine deletes a renamed resource under its former URN.
  for (const each of [urn, urnBefore(outputs)]) {
    run.replacedByAge.set(each, due);
    run.lostBefore.set(each, lost);
  }
}

/** The URN of a resource when it was last changed. */
const urnBefore = ({ owner, resourceUrn }: Outputs): string => urnIn(owner) ?? resourceUrn ?? "";

/** Names the keys of a renamed or copied stack, or of a former owner, that the stack no longer revokes. */
function reportRename({ type, outputs, inputs }: Compared, context: Context, renamedFrom: readonly string[]): void {
  const ids = (type.holds?.(outputs) ?? []).map(({ id }) => id).join(", ");
  if (ids === "") return;
  // In the npm package, only the owner knows the last name of the stack: a key that did not change has an older one.
  const urn = urnIn(outputs.owner) ?? (context.hasLedger ? undefined : outputs.resourceUrn);
  const isMoved = urn !== undefined && !isSameStack(urn, context.urn, renamedFrom);
  const former = isMoved ? formerName(stackIn(urn), stackIn(context.urn)) : context.run.formerStack;
  if (former === undefined) {
    // A preview does not know the new owner yet.
    if (typeof inputs.owner !== "string" || sameOwner(outputs.owner, inputs.owner)) return;
    context.warn(
      `the stack has another owner than key ${ids}: it is a copy, or its Owner was replaced. It does not revoke key ${ids}. ` +
        "Revoke what nobody needs, here and in the stack that it was copied from, with `npx keyplane revoke`",
    );
    return;
  }
  context.warn(
    `the stack was renamed or copied from ${former}. This stack does not revoke key ` +
      `${ids}. If it was renamed, run \`pulumi config set --path 'keyplane:renamedFrom[0]' ` +
      `${former}\`, or set KEYPLANE_RENAMED_FROM=${former} for an explicit provider, before \`pulumi up\`, and it keeps its keys`,
  );
}
