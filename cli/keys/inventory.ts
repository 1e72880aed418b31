import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { expiresAt } from "../../provider/keys/lease";
import { nameInUrn, tagsIn } from "../../provider/keys/names";
import type { Role, StackState } from "../../provider/stack/stack-state";
import type { Age } from "../duration-option";
import { holdersIn } from "../state/states";
import type { Column } from "../table";

/** A key of the account, with its ownership. */
export interface InventoryKey extends ApiKeyRecord {
  /** The deadline in the key's name (`maxAge`), as an ISO 8601 time: after it, `keyplane reap` revokes the key. */
  readonly expiresAt?: string | undefined;
  /** The owner's tag in the key's name. Absent if keyplane did not create the name. */
  readonly ownerTag?: string | undefined;
  /** `project/stack` that holds the key, or that the tag belongs to. */
  readonly stack?: string | undefined;
  /** URN of the resource that holds the key. */
  readonly heldBy?: string | undefined;
  /** The key's role in that resource. */
  readonly role?: Role | undefined;
  /** Whether the key stays live if that resource is deleted. */
  readonly stays?: boolean | undefined;
  /** `unused-90d`, `older-than-180d`, `expired`, `unmanaged`, `orphan`. */
  readonly flags: readonly string[];
}

/**
 * Finds each key's owner and flags. Without states, keys have no known owner.
 * @param terms - `now` is the service's time, in milliseconds.
 */
export function inventory(
  keys: readonly ApiKeyRecord[],
  terms: { states: readonly StackState[]; unusedFor: Age; olderThan: Age | undefined; now: number },
): InventoryKey[] {
  const { states, unusedFor, olderThan, now } = terms;
  const holderOf = holdersIn(states);
  const owners = ownersOf(states);
  return keys.map((key) => {
    const holder = holderOf(key);
    const { tag, stack: owner } = ownerOf(key.name, owners);
    const stack = holder?.stack ?? owner;
    const flags: string[] = [];
    if (ageOf(key.lastUsedAt ?? key.createdAt, now) >= unusedFor.ms) flags.push(flagOf("unused", unusedFor));
    if (olderThan && ageOf(key.createdAt, now) >= olderThan.ms) flags.push(flagOf("older-than", olderThan));
    const deadline = expiresAt(key.name);
    if (deadline !== undefined && Date.parse(deadline) <= now) flags.push("expired");
    if (states.length > 0 && holder === undefined) flags.push(owner === undefined ? "unmanaged" : "orphan");
    return {
      ...key,
      ...{ expiresAt: deadline, ownerTag: tag, stack, heldBy: holder?.urn, role: holder?.role, stays: holder?.stays },
      flags,
    };
  });
}

export const flagOf = (name: string, { text }: Age): string => `${name}-${text}`;

/** The stacks of the states, by the tags of their owners. */
export function ownersOf(states: readonly StackState[]): ReadonlyMap<string, string> {
  return new Map(states.flatMap(({ stack, tags }) => tags.map((tag) => [tag, stack] as const)));
}

/** The owner's tag in a key's name, and the stack that it belongs to, as far as they are known. */
export function ownerOf(name: string, owners: ReadonlyMap<string, string>) {
  const tags = tagsIn(name);
  // The last one of an unknown owner: a name of the dynamic provider hardly ever looks like one of the plugin.
  const tag = tags.find((each) => owners.has(each)) ?? tags.at(-1);
  return { tag, stack: tag === undefined ? undefined : owners.get(tag) };
}

/** Time since a timestamp of the service, in milliseconds. */
export function ageOf(time: string, now: number): number {
  return now - Date.parse(time);
}

/** Formats the resource that holds a key, and the key's role. Empty if no state has it. */
export function formatHolder({ heldBy, role, stays }: Pick<InventoryKey, "heldBy" | "role" | "stays">): string {
  if (heldBy === undefined) return "";
  const remarks = [...(role === "current" ? [] : [role]), ...(stays ? ["stays"] : [])];
  return [nameInUrn(heldBy), ...(remarks.length > 0 ? [`(${remarks.join(", ")})`] : [])].join(" ");
}

export function countFlags<Flag extends string>(
  keys: readonly { readonly flags: readonly Flag[] }[],
): Partial<Record<Flag, number>> {
  const counts: Partial<Record<Flag, number>> = {};
  for (const flag of keys.flatMap(({ flags }) => flags)) counts[flag] = (counts[flag] ?? 0) + 1;
  return counts;
}

/**
 * The columns that describe a key.
 * @param now - The service's time, in milliseconds.
 */
export function keyColumns(now: number): Column<ApiKeyRecord>[] {
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name, atLeast: 16 },
    { title: "AGE", text: ({ createdAt }) => formatDuration(ageOf(createdAt, now)) },
    {
      title: "LAST USE",
      text: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : `${formatDuration(ageOf(lastUsedAt, now))} ago`),
    },
    { title: "FROM", text: ({ lastUsedFromAddr }) => lastUsedFromAddr ?? "-", dispensable: true },
  ];
}
