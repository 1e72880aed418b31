/** What names a stack, as far as it is known. */
type StackName = Readonly<Partial<Record<"organization" | "project" | "stack", unknown>>>;

/**
 * Whether the setting `renamedFrom` says that a stack is the one that had another name. An entry is `STACK`, in the same
 * project, `PROJECT/STACK` or `ORGANIZATION/PROJECT/STACK`.
 * @param before - Its name in the state.
 */
export function isRenamedFrom(before: StackName, now: StackName, renamedFrom: readonly string[]): boolean {
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
