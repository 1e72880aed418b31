/** Paths into properties, such as `tags.name`, `list[0]`, `tags["a.b"]` and `rules[*].port`. */
import { isMap, isSecret, type Json, type Properties, secretOf } from "./property";
import { secretValue } from "./values";

/** A parsed path: keys, list indexes, and `*` for all elements. */
export type PropertyPath = readonly (string | number)[];

/** Parses a path. Returns `undefined` if it is not valid. */
export function parsePath(text: string): PropertyPath | undefined {
  const elements: (string | number)[] = [];
  let rest = text.startsWith(".") ? text.slice(1) : text;
  while (rest !== "") {
    const match = /^\["((?:\\.|[^"\\])*)"\]/.exec(rest) ?? /^\[(\d+|\*)\]/.exec(rest) ?? /^([^.[\]]+)/.exec(rest);
    if (match === null) return undefined;
    const [whole, element = ""] = match;
    if (whole.startsWith('["')) elements.push(element.replace(/\\(.)/g, "$1"));
    else elements.push(whole.startsWith("[") && element !== "*" ? Number(element) : element);
    rest = rest.slice(whole.length);
    if (rest.startsWith(".")) {
      rest = rest.slice(1);
      if (rest === "") return undefined;
    } else if (rest !== "" && !rest.startsWith("[")) return undefined;
  }
  return elements.length > 0 ? elements : undefined;
}

/** Whether `inner` is at or below `outer`. */
export function pathContains(outer: PropertyPath, inner: PropertyPath): boolean {
  return outer.length <= inner.length && outer.every((element, i) => element === "*" || element === inner[i]);
}

/**
 * Restores the old values of ignored paths in the new inputs.
 * @returns the inputs, and the paths that could not be restored because only one side has them.
 */
export function keepIgnored(
  inputs: Properties,
  old: Properties,
  ignored: readonly string[],
): { readonly inputs: Properties; readonly invalid: readonly string[] } {
  let result: Json = inputs;
  const invalid: string[] = [];
  for (const text of ignored) {
    const path = parsePath(text);
    if (path === undefined) continue;
    const reset = resetAt(path, old, result, false, false);
    result = reset.value ?? null;
    if (!reset.ok) invalid.push(text);
  }
  return { inputs: result as Properties, invalid };
}

interface Reset {
  readonly value: Json | undefined;
  readonly ok: boolean;
}

function resetAt(path: PropertyPath, old: Json, now: Json, oldSecret: boolean, nowSecret: boolean): Reset {
  if (isSecret(old)) return resetAt(path, secretValue(old), now, true, nowSecret);
  if (isSecret(now)) {
    const inner = resetAt(path, old, secretValue(now), oldSecret, true);
    return { ok: inner.ok, value: inner.value === undefined ? undefined : secretOf(inner.value) };
  }
  const [key, ...rest] = path;
  if (key === undefined) return { ok: true, value: oldSecret && !nowSecret ? secretOf(old) : old };
  const next = (before: Json, after: Json) => resetAt(rest, before, after, oldSecret, nowSecret);
  if (key === "*") return resetEach(rest.length === 0, old, now, next);
  return typeof key === "number" ? resetItem(key, old, now, next) : resetKey(key, rest.length === 0, old, now, next);
}

type Next = (old: Json, now: Json) => Reset;

function resetKey(key: string, last: boolean, old: Json, now: Json, next: Next): Reset {
  const before = isMap(old) ? old[key] : undefined;
  if (last) {
    if (before === undefined) return { ok: true, value: isMap(now) ? without(now, key) : now };
    return isMap(now)
      ? { ok: true, value: { ...now, [key]: next(before, null).value ?? null } }
      : { ok: false, value: now };
  }
  if (!isMap(old) || !isMap(now)) return { ok: !isMap(old) && !isMap(now), value: now };
  const after = now[key];
  if (before === undefined && after === undefined) return { ok: true, value: now };
  if (after === undefined) return { ok: false, value: now };
  const inner = next(before ?? null, after);
  return { ok: inner.ok, value: { ...now, [key]: inner.value ?? null } };
}

function resetItem(index: number, old: Json, now: Json, next: Next): Reset {
  if (!Array.isArray(old) || !Array.isArray(now)) return { ok: !Array.isArray(old) && !Array.isArray(now), value: now };
  const before = old[index];
  const after = now[index];
  if (before === undefined || after === undefined) return { ok: before === after, value: now };
  const inner = next(before, after);
  return { ok: inner.ok, value: now.with(index, inner.value ?? null) };
}

function resetEach(last: boolean, old: Json, now: Json, next: Next): Reset {
  if (Array.isArray(now) && Array.isArray(old)) {
    const items = now.map((item, i) => (i < old.length ? next(old[i] ?? null, item) : { ok: true, value: item }));
    return {
      ok: old.length === now.length && items.every((item) => item.ok),
      value: items.map((item) => item.value ?? null),
    };
  }
  if (isMap(now) && isMap(old)) {
    if (last)
      return {
        ok: true,
        value: Object.fromEntries(Object.entries(old).map(([k, v]) => [k, next(v, null).value ?? null])),
      };
    const entries = Object.entries(old).map(([key, before]) => {
      const after = now[key];
      return [key, after === undefined ? { ok: false, value: undefined } : next(before, after)] as const;
    });
    const kept = entries.filter(([, item]) => item.value !== undefined).map(([key, item]) => [key, item.value ?? null]);
    return { ok: entries.every(([, item]) => item.ok), value: { ...now, ...Object.fromEntries(kept) } };
  }
  return { ok: last && (Array.isArray(now) || isMap(now)), value: now };
}

function without(map: { [key: string]: Json }, key: string): { [key: string]: Json } {
  const { [key]: _, ...rest } = map;
  return rest;
}
