import type { Deployment } from "../run/deployment";
import { providerUrn } from "../state/checkpoint";
import type { Resource } from "../state/resource";
import { NO_DIFF, requiresReplacement } from "./diff";

/**
 * Whether a resource gets another provider that cannot take it over. The new provider compares the two configurations.
 * @param aliased the current URNs of renamed resources, by former URN.
 */
export async function needsOtherProvider(
  { olds, news, providers }: Deployment,
  aliased: ReadonlyMap<string, string>,
  old: Resource,
  resource: Resource,
): Promise<boolean> {
  const [before = "", after = ""] = [old.state.provider, resource.state.provider];
  if (before === after) return false;
  if (before === "" || after === "") return true;
  const [formerUrn, urn] = [providerUrn(before), providerUrn(after)];
  if (aliased.get(formerUrn) === urn) return false;
  const former = olds.get(formerUrn)?.state;
  const answer = await providers.diffProviders(after, {
    urn,
    id: "",
    oldInputs: former?.inputs ?? {},
    oldOutputs: former?.outputs ?? {},
    newInputs: (news.get(urn) ?? olds.get(urn))?.state.inputs ?? {},
    ignoreChanges: [],
  });
  return requiresReplacement({ ...NO_DIFF, ...answer, changes: true });
}
