import type { ApiKeyRecord } from "../api/records";
import { urnIn } from "../keys/identity";
import { hasTagOf, isNamedFor, isOthers, MAX_NAMES, nameInUrn, nonceFrom, readRecord, runIn } from "../keys/names";
import { textOf, textsOf } from "../members";
import type { HeldName, KeyHolder, KeyRequest, WaitingTerms, Witness } from "../schema/witness";
import type { Deployment, StateResource } from "./deployment";
import { currentKeysIn, hidesKeys, isKeyplanes, type KeyInState, keysIn, OWNER_TYPE, ownersIn } from "./stack-state";

/** The roles of keys that consumers of the resource have. */
const HOLDS: readonly KeyInState["role"][] = ["current", "previous"];

/** The state of the stack, as it was saved when the engine was asked. */
export class StackWitness implements Witness {
  readonly #ours: readonly StateResource[];
  readonly #held: readonly KeyInState[];

  constructor(private readonly deployment: Deployment) {
    this.#ours = deployment.resources.filter(isKeyplanes);
    this.#held = this.#ours.flatMap(keysIn);
  }

  knows(ownerId: string, { asOwn = false } = {}): boolean {
    const owners = [...this.#ours, ...this.deployment.creating].flatMap(ownersIn);
    return owners.some(({ id, isOwn }) => id === ownerId && (isOwn || !asOwn));
  }

  neverHadKey(ownerId: string): boolean {
    const isOurs = (owner: string) => owner === "" || owner === ownerId;
    return (
      !this.#ours.some((resource) => hidesKeys(resource) || Array.isArray(resource.outputs.lostNames)) &&
      !this.#held.some((key) => isOurs(key.ownerId)) &&
      !this.deployment.creating.some((note) => isKeyplanes(note) && note.type !== OWNER_TYPE)
    );
  }

  owns(name: string): boolean {
    return this.#ours.flatMap(ownersIn).some(({ id }) => hasTagOf(name, id));
  }

  holds({ id, name }: ApiKeyRecord): "yes" | "no" | "unknown" {
    // Another account can have another key with the same id. Lists of ids, such as a ledger's, are about one owner's keys.
    const isIt = (held: KeyInState) =>
      held.name === undefined ? !isOthers({ name, maker: undefined }, held.ownerId || undefined) : held.name === name;
    if (this.#held.some((held) => held.id === id && isIt(held))) return "yes";
    return this.#ours.some(hidesKeys) ? "unknown" : "no";
  }

  holdersOf({ id: keyId, name }: HeldName): readonly KeyHolder[] {
    const isIt = ({ id, role, name: recorded = name }: KeyInState) =>
      id === keyId && HOLDS.includes(role) && (name === undefined || recorded === name);
    return this.#ours
      .filter((resource) => keysIn(resource).some(isIt))
      .map(({ urn, id, replaced, outputs: { __owner, mintedBy } }) => ({
        ...{ urn, id, replaced, namedFor: urnIn(__owner), mintedBy: textOf(mintedBy) },
      }));
  }

  requestOf(name: string): KeyRequest | undefined {
    const note = this.deployment.creating.find((each) => isNamedIn(each, name));
    if (note !== undefined) {
      return { by: "interrupted creation", startedAt: readRecord(String(note.inputs.__nonce)).startedAt };
    }
    // The dynamic provider saves its runs with the owner before they request a key.
    const run = this.#ours
      .filter(({ type, id }) => type === OWNER_TYPE && hasTagOf(name, id))
      .flatMap(({ inputs }) => textsOf(inputs.runs).map(readRecord))
      .find(({ id }) => id === runIn(name));
    return run && { by: "run", startedAt: run.startedAt };
  }

  madeAt(ownerId: string): number | undefined {
    return this.#ours.find(({ type, id }) => type === OWNER_TYPE && id === ownerId)?.created;
  }

  interrupted(): readonly string[] {
    return this.deployment.creating.map(({ urn }) => urn);
  }

  currentKeys(ownerId: string, organizationId: string | undefined): readonly string[] {
    const current = currentKeysIn(this.#ours, organizationId);
    return current.flatMap(({ id, ownerId: owner }) => (owner === ownerId ? [id] : []));
  }

  successorOf(urn: string, id: string): StateResource | undefined {
    const savedAs = this.#savedAs(urn, id);
    return this.deployment.resources.find((each) => each.urn === savedAs && each.id !== id && !each.replaced);
  }

  hasAfterHooks(): boolean {
    return this.deployment.resources.some(({ hasAfterHook }) => hasAfterHook);
  }

  waitingFor(urn: string, id: string, { isUpdate = () => true, goesOn = false }: WaitingTerms = {}): readonly string[] {
    const savedAs = this.#savedAs(urn, id);
    // Without a successor, nothing was changed since, so all consumers wait.
    const { created = Number.POSITIVE_INFINITY } = this.successorOf(urn, id) ?? {};
    const changed = new Set([savedAs]);
    // A component has no values of its own, but its hooks can hand on those that it gets.
    const isUnseen = ({ hasAfterHook }: StateResource) => goesOn && hasAfterHook === true;
    const isConsumer = (resource: StateResource) => {
      const { urn, custom, replaced, sources } = resource;
      const mayHold = (custom || isUnseen(resource)) && !replaced && urn !== savedAs;
      return mayHold && [...sources].some((source) => changed.has(source));
    };
    const waiting: string[] = [];
    // In a state, every resource comes after those that it uses.
    for (const resource of this.deployment.resources) {
      const { urn: consumer, hasFailed, modified = 0 } = resource;
      if (!isConsumer(resource)) continue;
      if (hasFailed || isUnseen(resource) || modified < created || !isUpdate(modified))
        waiting.push(nameInUrn(consumer));
      else changed.add(consumer);
    }
    return waiting;
  }

  /**
   * The URN of a resource in the saved state. The engine deletes a resource that an alias has renamed under its former
   * URN, but it saves the new URN. An alias can also change the parents and the type, from the npm package to the plugin.
   */
  #savedAs(urn: string, id: string): string {
    const same = this.#ours.filter((each) => each.id === id && kindIn(each.urn) === kindIn(urn));
    if (same.some((each) => each.urn === urn)) return urn;
    return same.find(({ replaced }) => replaced)?.urn ?? urn;
  }
}

/** The kind of a resource, which both front ends name alike: the end of its type. */
const kindIn = (urn: string): string | undefined => urn.split("::")[2]?.split(":").at(-1);

/** Whether a creation that the plugin began requested a name: the note has the seed of its nonces. */
function isNamedIn({ inputs }: StateResource, name: string): boolean {
  const { __owner: owner, __nonce: seed } = inputs;
  if (typeof owner !== "string" || typeof seed !== "string" || !isNamedFor(name, owner)) return false;
  return Array.from({ length: MAX_NAMES }, (_, attempt) => nonceFrom(seed, attempt)).some((nonce) =>
    name.endsWith(`-${nonce}`),
  );
}
