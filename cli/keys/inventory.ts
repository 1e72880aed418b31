import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { expiresAt } from "../../provider/keys/deadline";
import { nameInUrn } from "../../provider/keys/naming";
import type { Column } from "../output";
import { originsIn, unheldFlag } from "../state/orphans";
import type { Role } from "../state/state-keys";
import { holdersIn, type ReadState } from "../state/states";

/** A key that was not used for this long, in milliseconds, is flagged. */
export const UNUSED_MS = 90 * 86_400_000;

/** What a key of a list can be. */
export const FLAGS = ["unused", "older-than", "expired", "unmanaged", "orphan"] as const;

export type Flag = (typeof FLAGS)[number];

/** A key of the account, with the stack and the resource that it is of. */
export interface InventoryKey extends ApiKeyRecord {
  /** The deadline in the key's name (`maxAge`), as an ISO 8601 time: after it, `keyplane reap` revokes the key. */
  readonly expiresAt?: string | undefined;
  /** `project/stack` of `resource`. */
  readonly stack?: string | undefined;
  /** URN of the resource that holds the key, else of the one whose name it has. */
  readonly resource?: string | undefined;
  /** URN of the resource that holds the key. */
  readonly heldBy?: string | undefined;
  /** The key's role in that resource. */
  readonly role?: Role | undefined;
  /** Whether the key stays live if that resource is deleted. */
  readonly stays?: boolean | undefined;
  readonly flags: readonly Flag[];
}

/**
 * Finds each key's resource and flags. Without states, keys have no known resource.
 * @param terms - `now` is the service's time, in milliseconds.
 */
export function inventory(
  keys: readonly ApiKeyRecord[],
  terms: { states: readonly ReadState[]; unusedFor: number; olderThan: number | undefined; now: number },
): InventoryKey[] {
  const { states, unusedFor, olderThan, now } = terms;
  const holderOf = holdersIn(states);
  const originOf = originsIn(states);
  return keys.map((key) => {
    const holder = holderOf(key);
    const origin = originOf(key.name);
    const flags: Flag[] = [];
    if (ageOf(key.lastUsedAt ?? key.createdAt, now) >= unusedFor) flags.push("unused");
    if (olderThan && ageOf(key.createdAt, now) >= olderThan) flags.push("older-than");
    const deadline = expiresAt(key.name);
    if (deadline !== undefined && Date.parse(deadline) <= now) flags.push("expired");
    const flag = states.length > 0 && holder === undefined ? unheldFlag(key, origin, now) : undefined;
    if (flag !== undefined) flags.push(flag);
    return {
      ...key,
      ...{ expiresAt: deadline, stack: holder?.stack ?? origin?.state.stack, resource: holder?.urn ?? origin?.urn },
      ...{ heldBy: holder?.urn, role: holder?.role, stays: holder?.stays },
      flags,
    };
  });
}

/** Time since a timestamp of the service, in milliseconds. */
export function ageOf(time: string, now: number): number {
  return now - Date.parse(time);
}

/** Formats the resource of a key, and the key's role. Empty if no state shows it. */
export function formatHolder({ resource, role, stays }: Pick<InventoryKey, "resource" | "role" | "stays">): string {
  if (resource === undefined) return "";
  const remarks = [...(role === "current" ? [] : [role ?? "not held"]), ...(stays ? ["stays"] : [])];
  return [nameInUrn(resource), ...(remarks.length > 0 ? [`(${remarks.join(", ")})`] : [])].join(" ");
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
    { title: "NAME", text: ({ name }) => name },
    { title: "AGE", text: ({ createdAt }) => formatDuration(ageOf(createdAt, now)) },
    {
      title: "LAST USE",
      text: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : `${formatDuration(ageOf(lastUsedAt, now))} ago`),
    },
    { title: "FROM", text: ({ lastUsedFromAddr }) => lastUsedFromAddr ?? "-" },
  ];
}
