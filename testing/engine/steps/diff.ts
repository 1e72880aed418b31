/** Compares a resource with its desired state. */

import type { DiffRequest, Provider } from "../provider/provider";
import type { Properties } from "../state/property";
import { keepIgnored, parsePath, pathContains } from "../state/property-path";
import { equalValues, mapWithoutSecrets } from "../state/values";

/** The result of a comparison. */
export interface Diff {
  readonly changes: boolean;
  readonly replaceKeys: readonly string[];
  /** The changed inputs, if the provider named them or the engine compared them. */
  readonly changedKeys: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** No difference. */
export const NO_DIFF: Diff = { changes: false, replaceKeys: [], changedKeys: [], deleteBeforeReplace: false };

/** Calls the provider. Compares the inputs if the provider leaves the decision to the engine. */
export async function diffResource(provider: Provider, request: DiffRequest, keepUnknowns: boolean): Promise<Diff> {
  const answer = await provider.diff(request, keepUnknowns);
  const named = answer.changedKeys ?? [];
  if (answer.changes !== undefined) return { ...answer, changes: answer.changes, changedKeys: named };
  const wanted = keepIgnored(request.newInputs, request.oldInputs, request.ignoreChanges).inputs;
  const changedKeys = changedInputs(request.oldInputs, wanted);
  if (changedKeys.length === 0) return { ...answer, changes: false, changedKeys: named };
  return { ...answer, changes: true, changedKeys };
}

/** Returns the keys whose values differ. Secrets are compared in plain text. */
function changedInputs(old: Properties, wanted: Properties): string[] {
  const before = mapWithoutSecrets(old);
  const after = mapWithoutSecrets(wanted);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !equalValues(before[key], after[key])).sort();
}

/** The key for "not ready" in `replaceOnChanges`. */
const INIT_ERROR_KEY = "#initerror";

/** Applies the option `replaceOnChanges`: a change at one of its paths requires a replacement. */
export function withReplaceOnChanges(diff: Diff, replaceOnChanges: readonly string[], hasInitErrors: boolean): Diff {
  if (!diff.changes && !hasInitErrors) return diff;
  const paths = replaceOnChanges.map((text) => {
    const path = parsePath(text);
    if (path === undefined) throw new Error(`replaceOnChanges: "${text}" is not a property path`);
    return path;
  });
  const replaces = (key: string) => paths.some((path) => pathContains(path, parsePath(key) ?? [key]));
  const forced = diff.changedKeys.filter(replaces);
  const replaceKeys = [...new Set([...diff.replaceKeys, ...forced])];
  if (!hasInitErrors || !replaces(INIT_ERROR_KEY)) return { ...diff, replaceKeys };
  return { ...diff, changes: true, replaceKeys: [...replaceKeys, INIT_ERROR_KEY] };
}
