import { keyIdOf } from "../../provider/ids";
import { ownerTag } from "../../provider/resources/names";
import { HIDDEN, opened } from "./envelope";
import type { Deployment, StateResource } from "./read-deployment";

/** What a stack's state tells about its keys. */
export interface StackState {
  /** Where it was read from, as it was given. */
  readonly source: string;
  /** `project/stack`; empty where the state holds nothing. */
  readonly stack: string;
  /** ISO 8601 time at which it was saved, where it tells. */
  readonly savedAt: string | undefined;
  /** The stack's owner: what its keys are tagged with. More than one only while it is being replaced. */
  readonly tags: readonly string[];
  /** Owners that belong to another stack: this state was copied or renamed, and no `up` has followed. */
  readonly foreign: readonly string[];
  /** The URN of what holds a key, by the key's id: also previous, retired, kept and pending ones. */
  readonly held: ReadonlyMap<string, string>;
  /** Places that may hold a key's id, but are encrypted. */
  readonly hidden: readonly string[];
  /** How many operations were under way when it was saved. */
  readonly underWay: number;
}

const TYPE = "pulumi-nodejs:dynamic/keyplane:";

/** Properties that hold ids of keys, in all kinds of resource. */
const KEY_IDS = ["keyId", "previousKeyId", "pendingRevocations", "retired", "owned", "delivered", "unrevoked"] as const;

/** Reads what a deployment tells about keys. Nothing has to be decrypted: ids of keys and owners are no secrets. */
export function stackState(source: string, deployment: Deployment): StackState {
  const resources = deployment.resources.filter(({ type }) => type.startsWith(TYPE));
  const owners = resources.filter((each) => each.type === `${TYPE}Owner` && each.delete !== true && each.id !== "");
  const held = new Map<string, string>();
  const hidden: string[] = [];
  // The ledger names all keys: what holds one itself comes after it, and prevails.
  const isLedger = ({ type }: StateResource) => Number(type === `${TYPE}Ledger`);
  for (const resource of resources.toSorted((one, other) => isLedger(other) - isLedger(one))) {
    for (const value of idsIn(resource)) {
      if (typeof value === "string" && keyIdOf(value) !== undefined) held.set(value, resource.urn);
      else if (value === HIDDEN) hidden.push(resource.urn);
    }
  }
  return {
    source,
    stack: stackOf(deployment.resources[0]?.urn ?? ""),
    savedAt: deployment.savedAt,
    tags: owners.filter(isOwn).map(({ id }) => ownerTag(id)),
    foreign: owners.filter((each) => !isOwn(each)).map(({ id }) => ownerTag(id)),
    held,
    hidden: [...new Set(hidden)],
    underWay: deployment.underWay,
  };
}

/** Ids of keys that a resource holds. */
function* idsIn({ type, id, inputs, outputs }: StateResource): Generator<unknown> {
  if (type === `${TYPE}ApiKey`) yield id;
  for (const name of KEY_IDS) {
    for (const source of [inputs, outputs]) {
      const value = opened(source[name]);
      if (Array.isArray(value)) yield* value.map(opened);
      else if (value !== undefined) yield value;
    }
  }
}

/** Whether the owner was made for the very stack in whose state it is. */
function isOwn({ urn, outputs }: StateResource): boolean {
  return stackOf(urn) === `${String(opened(outputs.project))}/${String(opened(outputs.stack))}`;
}

/** `project/stack` of a URN. */
function stackOf(urn: string): string {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  return stack === undefined ? "" : `${project}/${stack}`;
}
