import { type Scope, scopeKey } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";
import { credentialName, type KeysFlags } from "../account";
import { plain } from "../output";

/**
 * Says in which other scopes the states have something: a command lists the keys of one account or organization.
 * @param what - The beginning of the sentence, such as `An interrupted run began to create a key in`.
 * @param scopes - `undefined` for one that the state encrypts.
 */
export function otherScopes(
  what: string,
  scopes: readonly (Scope | undefined)[],
  { account, organization }: KeysFlags,
): string[] {
  const others = new Map(scopes.map((scope) => [scope && scopeKey(scope), scope]));
  others.delete(scopeKey({ account, organizationId: organization }));
  return [...others.values()].map((scope) => {
    if (scope === undefined) {
      return `${what} an account or organization that the state encrypts. Run this command with its --account or --organization, too.`;
    }
    const name = scope.account && shownAccount(scope.account);
    const id = scope.organizationId && plain(scope.organizationId);
    const places = [id && `organization ${id}`, name && credentialName(scope.account)].filter(Boolean);
    const options = [
      name ? `--account ${name}` : account && "no --account",
      id ? `--organization ${id}` : organization && "no --organization",
    ].filter(Boolean);
    const where = places.join(" of ") || `the account of ${credentialName(undefined)}`;
    return `${what} ${where}. Run this command with ${options.join(" and ")}, too.`;
  });
}
