/** What differs between a resource and what is wanted of it. */
import type { Properties } from "./property";
import { keepIgnored, parsePath, pathContains } from "./property-path";
import type { DiffRequest, Provider } from "./provider";
import { equalValues, mapWithoutSecrets } from "./values";

/** A judged difference. */
export interface Diff {
  readonly changes: boolean;
  readonly replaceKeys: readonly string[];
  /** The inputs that changed, where the engine itself compared them. */
  readonly changedKeys: readonly string[];
  readonly deleteBeforeReplace: boolean;
}

/** No difference. */
export const NO_DIFF: Diff = { changes: false, replaceKeys: [], changedKeys: [], deleteBeforeReplace: false };

/** A difference that makes it a replacement, because of `key`. */
export function replaceBecauseOf(key: string): Diff {
  return { ...NO_DIFF, changes: true, replaceKeys: [key] };
}

/** Asks the provider; compares the inputs where it leaves the judgement to the engine. */
export async function diffResource(provider: Provider, request: DiffRequest, keepUnknowns: boolean): Promise<Diff> {
  const answer = await provider.diff(request, keepUnknowns);
  if (answer.changes !== undefined) return { ...answer, changes: answer.changes, changedKeys: [] };
  const wanted = keepIgnored(request.newInputs, request.oldInputs, request.ignoreChanges).inputs;
  const changedKeys = changedInputs(request.oldInputs, wanted);
  return { ...answer, changes: changedKeys.length > 0, changedKeys };
}

/** The keys whose values differ, secrets compared in clear. */
function changedInputs(old: Properties, wanted: Properties): string[] {
  const before = mapWithoutSecrets(old);
  const after = mapWithoutSecrets(wanted);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !equalValues(before[key], after[key])).sort();
}

/** The key that stands for "not ready" in `replaceOnChanges`. */
const INIT_ERROR_KEY = "#initerror";

/** Applies the option `replaceOnChanges`: a change at one of its paths makes it a replacement. */
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
