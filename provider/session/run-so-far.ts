import { getOrCreate } from "../get-or-create";
import type { Members } from "../members";

/** What the calls so far have shown about the resources of the run. A process serves one run. */
export class RunSoFar {
  /** The outputs of the resources that are to be replaced in their scope, by URN. */
  readonly replaced = new Map<string, Members>();
  /** The URNs of the resources by what only one of a run can have. */
  readonly #claims = new Map<string, string>();
  /** Ids of the resources that were read, by URN. A resource and its predecessor can have the same URN. */
  readonly #read = new Map<string, Set<string>>();

  /** The URN of another resource that has claimed the same before. */
  claim(urn: string, what: string): string | undefined {
    const first = getOrCreate(this.#claims, what, () => urn);
    return first === urn ? undefined : first;
  }

  /** Records that a resource was read: its next `diff` belongs to a refresh, unless a `check` comes first. */
  rememberRead(id: string, urn: string): void {
    getOrCreate(this.#read, urn, () => new Set<string>()).add(id);
  }

  rememberCheck(urn: string): void {
    this.#read.delete(urn);
  }

  /** Whether a `diff` of the resource belongs to a refresh. True once for each read. */
  takeRefresh(id: string, urn: string): boolean {
    return this.#read.get(urn)?.delete(id) ?? false;
  }
}
