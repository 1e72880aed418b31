import type { ApiKeyRecord } from "../provider/api";
import { nameInUrn, tagOf } from "../provider/keys/names";
import type { Age } from "./duration-option";
import { heldBy, type Role, type StackState } from "./state";

/** A key of the account, and what is known about who owns it. */
export interface InventoryKey extends ApiKeyRecord {
  /** The owner's tag in its name; absent for a name that keyplane did not make. */
  readonly ownerTag?: string;
  /** `project/stack` that holds it, or whose tag it bears. */
  readonly stack?: string;
  /** URN of the resource that holds it. */
  readonly heldBy?: string;
  /** What it is to that resource. */
  readonly role?: Role;
  /** `unused-90d`, `older-than-180d`, `unmanaged`, `orphan`. */
  readonly flags: readonly string[];
}

/** By what keys are flagged. */
export interface InventoryTerms {
  readonly states: readonly StackState[];
  readonly unusedFor: Age;
  readonly olderThan: Age | undefined;
  /** The service's time, in milliseconds. */
  readonly now: number;
}

/** Tells of each key which stack owns it, and what is conspicuous about it. Without states, nobody is said to own one. */
export function inventory(keys: readonly ApiKeyRecord[], terms: InventoryTerms): InventoryKey[] {
  const { states, unusedFor, olderThan, now } = terms;
  const held = heldBy(states);
  const owners = new Map(states.flatMap(({ stack, tags }) => tags.map((tag) => [tag, stack] as const)));
  return keys.map((key) => {
    const holder = held.get(key.id);
    const tag = tagOf(key.name);
    const owner = tag === undefined ? undefined : owners.get(tag);
    const stack = holder?.stack ?? owner;
    const flags: string[] = [];
    if (ageOf(key.lastUsedAt ?? key.createdAt, now) >= unusedFor.ms) flags.push(`unused-${unusedFor.text}`);
    if (olderThan && ageOf(key.createdAt, now) >= olderThan.ms) flags.push(`older-than-${olderThan.text}`);
    if (states.length > 0 && holder === undefined) flags.push(owner === undefined ? "unmanaged" : "orphan");
    return {
      ...key,
      ...(tag === undefined ? {} : { ownerTag: tag }),
      ...(stack === undefined ? {} : { stack }),
      ...(holder === undefined ? {} : { heldBy: holder.urn, role: holder.role }),
      flags,
    };
  });
}

/** How long ago a time of the service was, in milliseconds. */
export function ageOf(time: string, now: number): number {
  return now - Date.parse(time);
}

/** The resource that holds a key, and what the key is to it, for people; empty where no state tells. */
export function formatHolder({ heldBy, role }: Pick<InventoryKey, "heldBy" | "role">): string {
  if (heldBy === undefined) return "";
  const name = nameInUrn(heldBy);
  return role === "current" ? name : `${name} (${role})`;
}
