import type { Properties } from "../schema/resource-type";

/**
 * Whether the setting `renamedFrom` says that a stack is the one that had another name. An entry is `STACK`, in the same
 * project, `PROJECT/STACK` or `ORGANIZATION/PROJECT/STACK`.
 * @param before - `organization`, `project` and `stack` in the state.
 * @param now - The same, as they are now.
 */
export function isRenamedFrom(before: Properties, now: Properties, renamedFrom: readonly string[]): boolean {
  return renamedFrom.some((entry) => {
    const [stack, project = now.project, organization = before.organization] = entry.split("/").toReversed();
    // The plugin is not told the organization.
    const isOrganization = before.organization === undefined || organization === before.organization;
    return stack === before.stack && project === before.project && isOrganization;
  });
}

/** The project and the stack in a URN. */
export function stackIn(urn: string): { readonly project: string; readonly stack: string } {
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return { project, stack };
}
