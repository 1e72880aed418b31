import type { ApiKeyRecord } from "../api/records";
import { getOrCreate } from "../get-or-create";
import { mustBeSameAccount } from "../keys/account-guard";
import { identityOf, ownerIdIn } from "../keys/identity";
import { formatListed, hasTagOf, isNamedFor, isNamedForUrn, tagsIn } from "../keys/names";
import { mustBeRevoked } from "../keys/revoke-key";
import { judgeUnknown, reportUnknown, settleUnknown } from "../keys/unknown-keys";
import type { Outputs } from "../schema/outputs";
import type { Context, ResourceType, RunNotes } from "../schema/resource-type";

/** What this process knows about the keys of one list of the service. */
class Notes {
  /** Ids of keys that the engine has shown to this process, or that it has made. */
  readonly seen = new Set<string>();
  /** The list that all creations and deletions of this process share, and the one that requested it. */
  list: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly context: Context } | undefined;
  /** Whether a destroy has looked in it for what former owners left behind. */
  hasLookedBack = false;
}

/**
 * The keys that interrupted runs left behind. The engine tells no plugin when a program has ended, so each resource
 * looks for keys with its own tag that nobody holds, when it creates a key and when it is deleted.
 */
export class OrphanSearch {
  readonly #notes = new Map<RunNotes, Notes>();
  readonly #swept = new Set<string>();

  constructor(
    private readonly owner: () => string,
    private readonly startedAt: number,
  ) {}

  /** Records the keys of a resource that the engine shows, or that was made. */
  noteHeld(type: ResourceType, outputs: Outputs, context: Context): void {
    for (const { id } of type.holds?.(outputs) ?? []) this.#of(context).seen.add(id);
  }

  /** Revokes the orphans of a resource that is about to create a key, under its identity and its former one. */
  async beforeCreate(identities: Iterable<string>, context: Context): Promise<void> {
    const list = await this.#list(context);
    if (this.#swept.has(context.urn)) return;
    this.#swept.add(context.urn);
    for (const identity of identities) {
      await this.#settle(this.#unknown(identity, list, context), identity, context);
      await this.#settleFormer(identity, list, context);
    }
  }

  /**
   * A stack that was destroyed after an interrupted creation has another owner now, but its state still has the record of
   * that creation. After an upgrade of the plugin, it still has the former owner. So a key that was made for a resource
   * of this URN by another owner is looked up there.
   */
  async #settleFormer(identity: string, list: readonly ApiKeyRecord[], context: Context): Promise<void> {
    const unused = list.filter(({ name, lastUsedAt }) => lastUsedAt === null && isNamedForUrn(name, identity));
    const others = unused.filter(({ name }) => !isNamedFor(name, identity));
    if (others.length === 0) return;
    const witness = await context.witness();
    const unknown = others.filter(({ name }) => witness?.requestOf(name) || witness?.owns(name));
    await this.#settle(unknown, identity, context);
  }

  /**
   * A resource that has left the program never creates a key again. So a destroy, after which nothing looks any more,
   * does the same for all interrupted creations. The end looks for the keys of the provider's owner.
   */
  async #lookBack(list: readonly ApiKeyRecord[], context: Context): Promise<void> {
    const notes = this.#of(context);
    if (notes.hasLookedBack || !context.command().isDestroy) return;
    notes.hasLookedBack = true;
    const identity = this.owner();
    const isCandidate = ({ name, lastUsedAt }: ApiKeyRecord) =>
      lastUsedAt === null && tagsIn(name).length > 1 && !hasTagOf(name, ownerIdIn(identity));
    const others = list.filter(isCandidate);
    if (others.length === 0) return;
    const witness = await context.witness();
    const identities = witness?.interrupted().map((urn) => identityOf(ownerIdIn(identity), undefined, urn)) ?? [];
    const isOurs = ({ name }: ApiKeyRecord) =>
      // The URN of the record is another one than that of the key if the stack was renamed.
      witness?.requestOf(name) !== undefined ||
      (witness?.owns(name) && identities.some((each) => isNamedForUrn(name, each)));
    await this.#settle(others.filter(isOurs), identity, context);
  }

  /** Revokes the orphans of a deleted resource. Throws if one is still live. */
  async afterDelete(identity: string, context: Context): Promise<void> {
    if (this.#swept.has(context.urn)) return;
    await mustBeSameAccount(identity, context);
    const list = await this.#list(context);
    await this.#lookBack(list, context);
    const left = await this.#settle(this.#unknown(identity, list, context), identity, context);
    mustBeRevoked(left, ", which an interrupted run left behind");
  }

  /** Reports the orphans of a resource that was read. A refresh changes nothing on the service. */
  async report(identity: string, context: Context): Promise<void> {
    const list = await context.keys().list();
    const fates = await judgeUnknown({ unknown: this.#unknown(identity, list, context), identity }, context);
    reportUnknown(fates, context);
    for (const [key, { fate }] of fates) {
      if (fate !== "revoke") continue;
      context.warn(
        `key ${formatListed(key)} was left behind by an interrupted run. It is revoked when the resource gets a new key or is deleted`,
      );
    }
  }

  /**
   * Revokes the orphans of resources that are gone from the program. Looks only at lists that were requested before. The
   * state tells who has a key: the engine shows none of those that a run leaves out. After Ctrl+C, other processes of this
   * run can still be creating keys, whose notes look like those of interrupted creations.
   */
  async atEnd(): Promise<void> {
    const identity = this.owner();
    for (const { list, seen } of this.#notes.values()) {
      if (list === undefined) continue;
      const { context } = list;
      const keys = await list.keys;
      const isLeft = ({ id, name, lastUsedAt }: ApiKeyRecord) =>
        hasTagOf(name, ownerIdIn(identity)) && lastUsedAt === null && !seen.has(id) && !context.keys().hasRevoked(id);
      const left = keys.filter(isLeft);
      const witness = left.length === 0 ? undefined : await context.witness({ fresh: true });
      if (!witness?.knows(ownerIdIn(identity))) continue;
      const thisSecond = Math.floor(this.startedAt / 1_000) * 1_000;
      const isEarlier = ({ name }: ApiKeyRecord) => !((witness.requestOf(name)?.startedAt ?? 0) >= thisSecond);
      await this.#settle(left.filter(isEarlier), identity, context, { fresh: true });
    }
  }

  /** Settles the keys that were not reported before. Returns the ids of those that are still to be revoked. */
  async #settle(all: readonly ApiKeyRecord[], identity: string, context: Context, look?: { fresh: true }) {
    const unknown = all.filter(({ id }) => !context.run.reported.has(id));
    return (await settleUnknown({ unknown, identity }, context, look)).left;
  }

  #unknown(identity: string, list: readonly ApiKeyRecord[], context: Context): readonly ApiKeyRecord[] {
    const { seen } = this.#of(context);
    return list.filter(({ id, name }) => isNamedFor(name, identity) && !seen.has(id));
  }

  #list(context: Context): Promise<readonly ApiKeyRecord[]> {
    const notes = this.#of(context);
    if (notes.list === undefined) {
      const keys = context.keys().list();
      notes.list = { keys, context };
      keys.catch(() => {
        notes.list = undefined;
      });
    }
    return notes.list.keys;
  }

  #of({ run }: Context): Notes {
    return getOrCreate(this.#notes, run, () => new Notes());
  }
}
