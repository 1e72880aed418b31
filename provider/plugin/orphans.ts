import type { ApiKeyRecord } from "../api/records";
import { KeyplaneError } from "../errors";
import { getOrCreate } from "../get-or-create";
import { mustBeSameAccount } from "../keys/account-guard";
import { textsOf, withoutEmpty } from "../keys/key-fields";
import { isNamedFor } from "../keys/names";
import { formatKey } from "../keys/orphans";
import { revokeAll } from "../keys/revoke-key";
import type { Context, Properties, ResourceType, RunNotes } from "../schema/resource-type";

/** An older key may have been handed out by a run whose state was lost, in milliseconds. */
const MAX_AGE_MS = 24 * 3_600_000;

/** What this process knows about one resource. */
class Notes {
  /** Ids of keys that the resource held before and that the engine may still delete. */
  readonly predecessors = new Set<string>();
  /** Those of them that a retirement revokes, whatever `revokeOnDelete` says. */
  readonly retiring = new Set<string>();
  /** Ids of orphans that could not be revoked. */
  readonly unrevoked: string[] = [];
  /** Whether the state has the resource, but the engine did not show it: the user forces a replacement. */
  isHidden = false;
  /** Whether its orphans were looked for. */
  isSwept = false;
}

/**
 * The keys that interrupted runs left behind. The engine tells no plugin when a program has ended, so each resource
 * looks for keys with its own tag that nobody holds, when it creates a key and when it is deleted.
 */
export class OrphanSearch {
  readonly #notes = new Map<string, Notes>();
  /** Ids of keys that the engine has shown to this process, by the notes of their scope. */
  readonly #seen = new WeakMap<RunNotes, Set<string>>();
  /** The list of a scope that all creations of this process share. */
  readonly #lists = new WeakMap<RunNotes, Promise<readonly ApiKeyRecord[]>>();

  /** Records that the engine checks a resource that the state has. Its diff follows, unless a replacement is forced. */
  noteCheck(urn: string): void {
    this.#of(urn).isHidden = true;
  }

  /** Records a resource that the engine shows, and so the keys that it holds. */
  noteShown(type: ResourceType, outputs: Properties, context: Context): void {
    const notes = this.#of(context.urn);
    notes.isHidden = false;
    const held = (type.holds?.(outputs) ?? []).map(({ id }) => id);
    for (const id of textsOf(outputs.retiring)) notes.retiring.add(id);
    for (const id of [...held, ...textsOf(outputs.predecessors)]) {
      notes.predecessors.add(id);
      this.#seenIn(context).add(id);
    }
  }

  /** Ids of the keys that the deletion of a replaced resource is to revoke, as its successor says. */
  retiring(urn: string): ReadonlySet<string> {
    return this.#of(urn).retiring;
  }

  /** Records keys of other processes of this run. */
  noteSeen(ids: readonly string[], context: Context): void {
    for (const id of ids) this.#seenIn(context).add(id);
  }

  /** Revokes the orphans of a resource that is about to create a key, under its identity and its former one. */
  async beforeCreate(identities: Iterable<string>, context: Context): Promise<void> {
    const notes = this.#of(context.urn);
    const keys = await this.#list(context);
    for (const id of notes.predecessors) if (keys.every((key) => key.id !== id)) notes.predecessors.delete(id);
    this.#reportRetired(keys, context);
    if (notes.isSwept) return;
    notes.isSwept = true;
    for (const identity of identities) await this.#sweep(identity, keys, context);
  }

  /**
   * Revokes the orphans of a deleted resource, and the retired keys that its predecessors have left. Throws if one is
   * still live.
   * @param held - Ids of the keys that the deletion itself has handled.
   */
  async afterDelete(identity: string, held: readonly string[], context: Context): Promise<void> {
    const notes = this.#of(context.urn);
    if (notes.isSwept) return;
    await mustBeSameAccount(identity, context);
    const keys = await this.#list(context);
    const retired = keys.filter(({ id }) => notes.retiring.has(id) && !held.includes(id));
    await this.#revoke(retired, "which was retired", identity, context);
    await this.#sweep(identity, keys, context);
    const left = notes.unrevoked.splice(0);
    if (left.length === 0) return;
    throw new KeyplaneError(
      "KP-REVOKE",
      `could not revoke key ${left.join(", ")}, which an earlier run left behind. Run the command again`,
    );
  }

  /** Reports the orphans of a resource that was read. A refresh changes nothing on the service. */
  async report(identity: string, context: Context): Promise<void> {
    const keys = await context.keys().list();
    this.#reportRetired(keys, context);
    for (const key of this.#candidates(identity, keys, context)) {
      context.warn(
        `key ${formatKey(key)} was made for this resource, but no resource has it. It is revoked when the resource gets a new key or is deleted, unless somebody uses it`,
      );
    }
  }

  /** Reports retired keys whose revocation is up to the deletion of a replaced resource, which may never come. */
  #reportRetired(keys: readonly ApiKeyRecord[], context: Context): void {
    const { retiring } = this.#of(context.urn);
    for (const key of keys.filter(({ id }) => retiring.has(id))) {
      context.warn(
        `key ${formatKey(key)} is retired. A \`pulumi up\` that succeeds as a whole revokes it, unless the resource has the ` +
          "option retainOnDelete or a deleteBeforeReplace was interrupted. In these cases, revoke it in the console",
      );
    }
  }

  /** The outputs to record: with the keys that the resource must not take for orphans later. */
  recorded(urn: string, outputs: Properties): Properties {
    const { predecessors, retiring: retired, unrevoked } = this.#of(urn);
    const own = new Set([outputs.keyId, outputs.previousKeyId]);
    const others = [...predecessors].filter((id) => !own.has(id)).sort();
    for (const id of textsOf(outputs.retiring)) retired.add(id);
    const retiring = others.filter((id) => retired.has(id));
    const pendingRevocations = [...new Set([...textsOf(outputs.pendingRevocations), ...unrevoked])];
    return withoutEmpty({ ...outputs, pendingRevocations, predecessors: others, retiring });
  }

  async #sweep(identity: string, keys: readonly ApiKeyRecord[], context: Context): Promise<void> {
    const notes = this.#of(context.urn);
    const candidates = this.#candidates(identity, keys, context);
    const now = context.account().serviceNow();
    const isOurs = (key: ApiKeyRecord) => key.lastUsedAt === null && Date.parse(key.createdAt) > now - MAX_AGE_MS;
    // The replaced key is among them if the engine did not show it.
    const doomed = notes.isHidden || context.checkpointsSkipped ? [] : candidates.filter(isOurs);
    const fate = notes.isHidden
      ? "If the replaced resource has it, the deletion of that resource revokes it"
      : "keyplane leaves it alone";
    for (const key of candidates.filter((each) => !doomed.includes(each))) {
      notes.predecessors.add(key.id);
      if (notes.isHidden && candidates.length === 1) continue;
      const text = `key ${formatKey(key)} was made for this resource, and this run cannot tell whether anybody has it`;
      context.warn(`${text}. ${fate}. If nobody should have it, revoke it in the console`);
    }
    await this.#revoke(doomed, "left behind by an interrupted run", identity, context);
  }

  /** Revokes keys, says why, and remembers those that are still live. */
  async #revoke(keys: readonly ApiKeyRecord[], why: string, identity: string, context: Context): Promise<void> {
    const left = await revokeAll(keys, identity, context);
    this.#of(context.urn).unrevoked.push(...left);
    for (const key of keys.filter(({ id }) => !left.includes(id)))
      context.info(`revoked key ${formatKey(key)}, ${why}`);
  }

  #candidates(identity: string, keys: readonly ApiKeyRecord[], context: Context): readonly ApiKeyRecord[] {
    const seen = this.#seenIn(context);
    return keys.filter(({ id, name }) => isNamedFor(name, identity) && !seen.has(id));
  }

  #list(context: Context): Promise<readonly ApiKeyRecord[]> {
    return getOrCreate(this.#lists, context.run, () => {
      const list = context.keys().list();
      list.catch(() => this.#lists.delete(context.run));
      return list;
    });
  }

  #seenIn({ run }: Context): Set<string> {
    return getOrCreate(this.#seen, run, () => new Set());
  }

  #of(urn: string): Notes {
    return getOrCreate(this.#notes, urn, () => new Notes());
  }
}
