import type { ApiKeyRecord } from "../api/records";
import { messageOf } from "../errors";
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
  /** URNs of resources whose orphans were settled before they created a key. */
  readonly swept = new Set<string>();
  /** The list that all creations and deletions of this process share, and the one that requested it. */
  list: { readonly keys: Promise<readonly ApiKeyRecord[]>; readonly context: Context } | undefined;
  /** Whether a destroy has looked in it for what former owners left behind. */
  hasLookedBack = false;
  /** The orphans that a refresh has reported, by id, with the URN of the resource whose update has them revoked. */
  reported: Map<string, string> | undefined;
}

/**
 * The keys that interrupted runs left behind. The engine tells no plugin when a program has ended, so each resource
 * looks for keys with its own tag that nobody holds, when it creates a key and when it is deleted.
 */
export class OrphanSearch {
  readonly #notes = new Map<RunNotes, Notes>();

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
    const { swept } = this.#of(context);
    if (swept.has(context.urn)) return;
    swept.add(context.urn);
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
    const isOther = (name: string) => isNamedForUrn(name, identity) && !isNamedFor(name, identity);
    const others = this.#unused(list, context).filter(({ name }) => isOther(name));
    const witness = others.length === 0 ? undefined : await context.witness(identity);
    const unknown = others.filter(({ name }) => witness?.requestOf(name) || witness?.owns(name));
    await this.#settle(unknown, identity, context);
  }

  /**
   * A resource that has left the program never creates a key again. So a destroy, after which nothing looks any more,
   * does the same for all interrupted creations, under any owner but this one. The end looks for this owner's keys.
   */
  async #lookBack(list: readonly ApiKeyRecord[], context: Context): Promise<void> {
    const notes = this.#of(context);
    if (notes.hasLookedBack || !context.command().isDestroy) return;
    notes.hasLookedBack = true;
    const others = this.#unused(list, context).filter(({ name }) => !hasTagOf(name, ownerIdIn(this.owner())));
    const witness = others.length === 0 ? undefined : await context.witness(this.owner());
    const isOurs = ({ name }: ApiKeyRecord) =>
      // The URN of the record is another one than that of the key if the stack was renamed.
      witness?.requestOf(name) ||
      (witness?.owns(name) && witness.interrupted().some((urn) => isNamedForUrn(name, identityOf("", undefined, urn))));
    await this.#settle(others.filter(isOurs), this.owner(), context);
  }

  /** Revokes the orphans of a deleted resource. Throws if one is still live. */
  async afterDelete(identity: string, context: Context): Promise<void> {
    if (this.#of(context).swept.has(context.urn)) return;
    await mustBeSameAccount(identity, context);
    const list = await this.#list(context);
    await this.#lookBack(list, context);
    const left = await this.#settle(this.#unknown(identity, list, context), identity, context);
    mustBeRevoked(left, ", which an interrupted run left behind");
  }

  /**
   * Reports the orphans of a resource that was read or, without an identity, those that a refresh finds of resources that are
   * gone. Returns whether an update of this resource is due: the end of a run with a change revokes what was reported.
   */
  async report(context: Context, identity?: string): Promise<boolean> {
    const notes = this.#of(context);
    if (identity !== undefined) notes.reported ??= new Map();
    if (notes.reported === undefined) return false;
    const list = await this.#list(context);
    const unknown = identity ? this.#unknown(identity, list, context) : await this.#gone(list, context);
    const fates = await judgeUnknown({ unknown, identity: identity ?? this.owner() }, context);
    reportUnknown(fates, context);
    for (const [key, { fate }] of fates) {
      if (fate !== "revoke" || notes.reported.has(key.id)) continue;
      notes.reported.set(key.id, context.urn);
      context.warn(`key ${formatListed(key)} was left by an interrupted run. \`pulumi up --refresh\` revokes it`);
    }
    return Array.from(notes.reported.values()).includes(context.urn);
  }

  /** Revokes the orphans of resources that are gone. A run that has changed nothing only reports them. */
  async atEnd(hasChanged: boolean): Promise<void> {
    for (const { list } of this.#notes.values()) {
      if (list === undefined) continue;
      const { context } = list;
      const look = { fresh: true } as const;
      try {
        if (!hasChanged) await this.report(context);
        else await this.#settle(await this.#gone(await list.keys, context, look), this.owner(), context, look);
      } catch (error) {
        context.warn(
          `could not look for keys of interrupted runs, which \`npx keyplane keys\` lists: ${messageOf(error)}`,
        );
      }
    }
  }

  /**
   * The keys of this owner and of earlier runs whose resource is gone. The state tells who has a key: the engine shows none of
   * those that a run leaves out. After Ctrl+C, other processes of this run can still be creating keys, whose notes look like
   * those of interrupted creations. Keys of other owners are not looked up: that would need the state in every run.
   */
  async #gone(list: readonly ApiKeyRecord[], context: Context, look?: { fresh: true }) {
    const ownerId = ownerIdIn(this.owner());
    const left = this.#unused(list, context).filter(({ name }) => hasTagOf(name, ownerId));
    const witness = left.length === 0 ? undefined : await context.witness(this.owner(), look);
    if (witness === undefined) return [];
    const thisSecond = Math.floor(this.startedAt / 1_000) * 1_000;
    return left.filter(({ name }) => !((witness.requestOf(name)?.startedAt ?? 0) >= thisSecond));
  }

  /** Keys with names of the plugin that nobody has used, and that the engine has not shown. */
  #unused(list: readonly ApiKeyRecord[], context: Context): readonly ApiKeyRecord[] {
    const { seen } = this.#of(context);
    const isUnused = ({ id, name, lastUsedAt }: ApiKeyRecord) =>
      tagsIn(name).length > 1 && lastUsedAt === null && !seen.has(id) && !context.keys().hasRevoked(id);
    return list.filter(isUnused);
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
