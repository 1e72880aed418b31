import type { ApiKeyRecord } from "../../provider/api";
import { getOrCreate } from "../../provider/get-or-create";
import type { Scope } from "../../provider/keys/scope";
import { shownAccount } from "../../provider/text";

export interface KeyList extends Scope {
  /** The service's scheme, host and port. */
  readonly origin: string;
  /** What a state records of the account. */
  readonly mark: string;
  /** The live keys; `undefined` if the list could not be read. */
  readonly keys: readonly ApiKeyRecord[] | undefined;
  readonly problem?: string;
}

/** A live key, with every list that contains it. */
export interface ListedKey {
  readonly record: ApiKeyRecord;
  readonly lists: readonly KeyList[];
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
export function listedKeys(lists: readonly KeyList[]): readonly ListedKey[] {
  const found = new Map<string, { readonly record: ApiKeyRecord; readonly lists: KeyList[] }>();
  for (const list of lists) {
    for (const record of list.keys ?? []) {
      const { id, name, createdAt } = record;
      const same = JSON.stringify([list.origin, id, name, createdAt]);
      getOrCreate(found, same, () => ({ record, lists: [] })).lists.push(list);
    }
  }
  return [...found.values()];
}
