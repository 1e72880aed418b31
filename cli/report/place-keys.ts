import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import { markIn } from "../../provider/keys/naming";
import type { Scope } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";
import type { StateKey } from "./state-keys";

export interface ReadList extends Scope {
  /** The service's scheme, host and port. */
  readonly origin: string;
  /** What a state records of the account; see `provider/keys/account.ts`. */
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

  constructor(
    private readonly lists: readonly ReadList[],
    listed: readonly ListedKey[],
  ) {
    for (const key of listed) getOrCreate(this.#byId, key.record.id, () => []).push(key);
  }

  /** Where a key is. It counts as gone only if the list is the one that last showed it, which the state records. */
  of(key: StateKey): Place {
    const label = key.scope && labelOf(key.scope);
    const recorded = this.lists.find(({ mark }) => mark === key.accountFingerprint);
    const found = this.#byId.get(key.id) ?? [];
    // Ids are never used twice in an account. In another one, another key can have the same id.
    const [listed, ...more] = found.filter(({ lists, record }) =>
      recorded === undefined ? hasNameOf(record, key) : lists.includes(recorded),
    );
    if (listed !== undefined && more.length === 0) return { listed, goneFrom: undefined, label };
    if (recorded?.keys === undefined) return { listed: undefined, goneFrom: undefined, label };
    return { listed: undefined, goneFrom: recorded, label: labelOf(recorded) };
  }
}

/** Whether a listed key has the name of one in a state. A state has no name of a key that is only to be revoked. */
function hasNameOf({ name }: ApiKeyRecord, key: StateKey): boolean {
  return key.name === undefined ? key.mark !== undefined && markIn(name) === key.mark : name === key.name;
}
