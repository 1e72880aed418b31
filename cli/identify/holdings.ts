import { getOrCreate } from "../../provider/get-or-create";
import type { Scope } from "../../provider/keys/scope";
import { isKeyType } from "../../provider/resource-types";
import type { Deployment, StateResource } from "../../provider/stack/deployment";
import { type Holder, keysIn, type Role, roleIn, type StackState, stays } from "../../provider/stack/keys-in-state";
import { FOLDERS, readStateFile, type StateFile } from "../state/state-files";
import { consumersIn, isSameStack, parseState, type ReadState, timeOf } from "../state/states";

/** A key in the state of a stack, with what the state says about it. */
export interface Holding
  extends Scope,
    Pick<StackState, "source" | "stack" | "savedAt">,
    Pick<Holder, "name" | "urn" | "role" | "stays"> {
  readonly digest: string;
  readonly keyId: string;
  /** Its role in the newest given state of the stack; `undefined` if that one does not have the key. */
  readonly roleNow: Role | undefined;
  readonly type: "ApiKey" | "RotatingApiKey";
  readonly projectId: string | undefined;
  /** When the service created it, as an ISO 8601 time, if the state tells. */
  readonly createdAt: string | undefined;
  /** When the current key of its resource replaced it. */
  readonly replacedAt: string | undefined;
  /** The last use that the state tells, as an ISO 8601 time. */
  readonly lastUsedAt: string | undefined;
  /** Whether the resource has triggers, so that another one replaces the key. */
  readonly hasTriggers: boolean;
  /** URNs of the resources that depend on the key's resource. */
  readonly usedBy: readonly string[];
}

/** What the given states say about some keys. */
export interface Holdings {
  readonly holdings: readonly Holding[];
  readonly states: number;
}

const AT_ONCE = 8;

/**
 * Finds the keys with these digests in states. Only the states that contain one of them, and the others of the same
 * stacks, are read as a whole.
 */
export async function holdingsOf(
  digests: ReadonlySet<string>,
  files: readonly StateFile[],
  exported: readonly ReadState[] = [],
): Promise<Holdings> {
  const read = [...exported];
  const others: { readonly file: StateFile; readonly stack: string }[] = [];
  let [next, states] = [0, exported.length];
  const work = async () => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      const bytes = await readStateFile(file, FOLDERS);
      const stack = stackOf(bytes);
      if (stack === undefined && !file.isNamed) continue;
      states++;
      if (stack === undefined || containsAny(bytes, digests)) read.push(parseState(file.name, bytes, FOLDERS));
      else others.push({ file, stack });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const holding = read.filter(({ deployment }) => keysOf(deployment, digests).length > 0);
  const stacks = new Set(holding.map(({ stack }) => stack));
  for (const { file } of others.filter(({ stack }) => stacks.has(stack))) {
    read.push(parseState(file.name, await readStateFile(file, FOLDERS), FOLDERS));
  }
  const byStack = newestFirst(read);
  const roles = new Map<ReadState, RoleNow>();
  const holdings = holding.flatMap((state) => {
    const now = newestOf(state, byStack.get(state.stack) ?? []);
    const roleNow: RoleNow = now === state ? ({ role }) => role : getOrCreate(roles, now, () => rolesIn(now));
    const consumers = consumersIn(state);
    return keysOf(state.deployment, digests).map((key) => {
      const usedBy = (consumers.get(key.resource.urn) ?? []).map(({ urn }) => urn);
      return holdingOf(key, state, { roleNow: roleNow(key), usedBy });
    });
  });
  return { holdings: inOrder(holdings), states };
}

const DIGEST = Buffer.from('igest"');

/** Whether a state contains one of these digests. */
function containsAny(bytes: Buffer, digests: ReadonlySet<string>): boolean {
  for (let at = bytes.indexOf(DIGEST); at >= 0; at = bytes.indexOf(DIGEST, at + 1)) {
    const [, digest = ""] = /^igest"\s*:\s*"([a-z2-7]{25})"/.exec(bytes.toString("latin1", at, at + 60)) ?? [];
    if (digests.has(digest)) return true;
  }
  return false;
}

/** `project/stack` of a state, from its first URN; `undefined` if it has none. */
function stackOf(bytes: Buffer): string | undefined {
  const at = bytes.indexOf("urn:pulumi:");
  const [, stack, project] = /^urn:pulumi:([^:"]+)::([^:"]+)::/.exec(bytes.toString("utf8", at, at + 300)) ?? [];
  return at < 0 || stack === undefined ? undefined : `${project}/${stack}`;
}

interface KeyOfResource extends Pick<Holding, "digest" | "keyId"> {
  readonly resource: StateResource;
  readonly role: Role;
  readonly isCurrent: boolean;
}

function keysOf({ resources }: Deployment, digests: ReadonlySet<string>): readonly KeyOfResource[] {
  const keys = resources.filter(({ type }) => isKeyType(type));
  return keys.flatMap((resource) => {
    const { digest, keyId, previousDigest, previousKeyId } = resource.outputs;
    const both = [
      { as: "current", digest: text(digest), id: keyId },
      { as: "previous", digest: text(previousDigest), id: previousKeyId },
    ] as const;
    return both.flatMap(({ as, digest = "", id }) => {
      if (!digests.has(digest) || typeof id !== "string") return [];
      const role = roleIn(resource, { id, role: as });
      return [{ resource, role, isCurrent: as === "current", digest, keyId: id }];
    });
  });
}

/** The states with each name of a stack, newer ones first. */
function newestFirst(all: readonly ReadState[]): ReadonlyMap<string, readonly ReadState[]> {
  const found = new Map<string, ReadState[]>();
  for (const state of all.toSorted((one, other) => timeOf(other) - timeOf(one))) {
    getOrCreate(found, state.stack, () => []).push(state);
  }
  return found;
}

/** The newest of the states of the same stack. */
function newestOf(state: ReadState, sameName: readonly ReadState[]): ReadState {
  const newest = sameName.find((each) => isSameStack(each, state));
  return newest !== undefined && timeOf(newest) > timeOf(state) ? newest : state;
}

/** The role of a key in the newest state: under its URN, or in any list of keys to revoke. */
type RoleNow = (key: KeyOfResource) => Role | undefined;

function rolesIn({ deployment, held }: ReadState): RoleNow {
  const resources = deployment.resources.filter(({ replaced }) => !replaced);
  const roles = resources.flatMap((resource) => {
    return keysIn(resource).map(({ id, role }) => [`${resource.urn} ${id}`, role] as const);
  });
  const byKey = new Map(roles);
  // Another resource can have taken the key over.
  const byId = new Map(held.map(({ id, role }) => [id, role] as const));
  return ({ keyId, resource: { urn } }) => byKey.get(`${urn} ${keyId}`) ?? byId.get(keyId);
}

function holdingOf(key: KeyOfResource, state: ReadState, facts: Pick<Holding, "roleNow" | "usedBy">): Holding {
  const { resource, digest, keyId, role, isCurrent } = key;
  const { urn, outputs } = resource;
  const type = resource.type.endsWith(":ApiKey") ? "ApiKey" : "RotatingApiKey";
  const name = text(isCurrent ? outputs.name : outputs.previousName);
  return {
    ...{ digest, keyId, name, role, ...facts, stack: state.stack, urn, type },
    account: text(outputs.account),
    organizationId: text(outputs.organizationId),
    projectId: text(outputs.projectId),
    createdAt: isCurrent ? text(outputs.createdAt) : undefined,
    replacedAt: isCurrent ? undefined : text(outputs.rotatedAt),
    lastUsedAt: isCurrent ? undefined : text(outputs.previousUsedAt),
    stays: stays(resource, keyId, role),
    hasTriggers: outputs.rotationTriggers !== undefined,
    ...{ source: state.source, savedAt: state.savedAt },
  };
}

/** A stack that still has the key first; newer states first. */
function inOrder(holdings: readonly Holding[]): readonly Holding[] {
  const rank = ({ roleNow }: Holding) => Number(roleNow === undefined);
  return holdings.toSorted(
    (one, other) => rank(one) - rank(other) || timeOf(other) - timeOf(one) || (one.source < other.source ? -1 : 1),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
