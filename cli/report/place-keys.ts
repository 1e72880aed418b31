import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import { accountIn, originFingerprint, originIn } from "../../provider/keys/account-fingerprint";
import { ownerTag, tagsIn } from "../../provider/keys/names";
import type { Scope } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";
import type { StateKey } from "./state-keys";

export interface ReadList extends Scope {
  /** The service's scheme, host and port. */
  readonly origin: string;
  /** What a state records of the account. */
  readonly mark: string;
  /** The live keys; `undefined` if the list could not be read. */
  readonly keys: readonly ApiKeyRecord[] | undefined;
  readonly problem?: string;
}

/** A live key, with every list that contains it. */
interface ListedKey {
  readonly record: ApiKeyRecord;
  readonly lists: readonly ReadList[];
}

/**
 * How a report names a list: `(default)`, `eu`, or `eu, org-white-meadow`. A name that can be a secret in the wrong place
 * is not shown.
 */
export function labelOf({ account, organizationId }: Scope): string {
  const name = account === undefined ? "(default)" : shownAccount(account);
  return [name, ...(organizationId === undefined ? [] : [organizationId])].join(", ");
}

/** The keys of all lists. Two credentials of one account list the same keys, which are merged. */
export function listedKeys(lists: readonly ReadList[]): readonly ListedKey[] {
  const found = new Map<string, { readonly record: ApiKeyRecord; readonly lists: ReadList[] }>();
  for (const list of lists) {
    for (const record of list.keys ?? []) {
      const { id, name, createdAt } = record;
      const same = JSON.stringify([list.origin, id, name, createdAt]);
      getOrCreate(found, same, () => ({ record, lists: [] })).lists.push(list);
    }
  }
  return [...found.values()];
}

/** Where a key of a state is: the lists that have it, or had it. */
export interface Place {
  /** The key as it is listed; `undefined` if it is not live. */
  readonly listed: ListedKey | undefined;
  /** The list that had it, if it is gone. */
  readonly goneFrom: ReadList | undefined;
  /** The account that the state names. */
  readonly label: string | undefined;
}

/** Finds keys of states in the lists of the service. */
export class Places {
  readonly #byId = new Map<string, ListedKey[]>();
  /** The lists in which each owner has a live key, by the owner's id and the scope of the key. */
  readonly #proven = new Map<string, ReadList>();
  readonly #byTag = new Map<string, ReadList>();

  constructor(
    private readonly lists: readonly ReadList[],
    listed: readonly ListedKey[],
    inStates: readonly StateKey[],
  ) {
    for (const key of listed) {
      const { id, name } = key.record;
      this.#byId.set(id, [...(this.#byId.get(id) ?? []), key]);
      for (const tag of tagsIn(name)) for (const list of key.lists) this.#byTag.set(`${tag} ${labelIn(list)}`, list);
    }
    for (const key of inStates) {
      const [list] = this.#liveIn(key)?.lists ?? [];
      if (list !== undefined && key.ownerId !== "") this.#proven.set(`${key.ownerId} ${labelIn(key.scope)}`, list);
    }
  }

  /**
   * Where a key is. It counts as gone only if the list is proven to be the one that had it: the credential is the same
   * as when the state was saved, or the list has another key of the same owner.
   */
  of(key: StateKey): Place {
    const label = key.scope && labelOf(key.scope);
    const listed = this.#liveIn(key);
    if (listed !== undefined) return { listed, goneFrom: undefined, label };
    const list = this.#recorded(key) ?? this.#proven.get(`${key.ownerId} ${labelIn(key.scope)}`) ?? this.#tagged(key);
    if (list?.keys === undefined) return { listed, goneFrom: undefined, label };
    return { listed, goneFrom: list, label: labelOf(list) };
  }

  #liveIn(key: StateKey): ListedKey | undefined {
    const found = this.#byId.get(key.id) ?? [];
    const recorded = this.#recorded(key);
    // Ids are never used twice in an account.
    if (recorded !== undefined) return found.find(({ lists }) => lists.includes(recorded));
    // In another account, another key can have the same id. A name says more than the address, which can change.
    const isNamed = ({ record }: ListedKey) => record.name === key.name;
    const isHere = ({ lists }: ListedKey) => key.name === undefined && lists.some((list) => mayBe(list, key));
    return found.find(isNamed) ?? found.find(isHere);
  }

  /** The list whose credential the state records. */
  #recorded({ mark }: StateKey): ReadList | undefined {
    const account = accountIn(mark);
    return account === undefined ? undefined : this.lists.find((list) => accountIn(list.mark) === account);
  }

  #tagged({ ownerId, scope }: StateKey): ReadList | undefined {
    return ownerId === "" ? undefined : this.#byTag.get(`${ownerTag(ownerId)} ${labelIn(scope)}`);
  }
}

/** Whether nothing in the state of a key says that it is in another list. */
function mayBe(list: ReadList, { mark, scope }: StateKey): boolean {
  const origin = originIn(mark);
  return (
    (origin === undefined || origin === originFingerprint(list.origin)) &&
    (scope === undefined || labelIn(scope) === labelIn(list))
  );
}

const labelIn = (scope: Scope | undefined): string => (scope ? labelOf(scope) : "");
