import type { ApiKeyRecord } from "../api/records";
import type { Made } from "./outputs";

/** A key that a resource holds: its id and, if known, its name. */
export interface HeldName {
  readonly id: string;
  readonly name?: string | undefined;
}

/** A resource in the state that has a key. */
export interface KeyHolder {
  readonly urn: string;
  readonly id: string;
  /** Whether it was replaced, and is only left to be deleted. */
  readonly replaced: boolean;
  /** The URN that the names of its keys are made for; `undefined` with the dynamic provider. */
  readonly namedFor: string | undefined;
  /** The tag of the owner that created a key with an exact name. */
  readonly mintedBy: string | undefined;
}

/** What requested the name of a key, as the state has it on record. */
export interface KeyRequest {
  readonly by: "interrupted creation" | "run";
  /** When that run was started, in milliseconds since 1970; `undefined` if version 0.2 or a plan left no record of it. */
  readonly startedAt: number | undefined;
}

/**
 * What the stack's own state says, as the engine has saved it by now. It only counts if it proves to be the state of
 * this stack: it must contain the owner in question.
 */
export interface Witness {
  /**
   * Whether the state contains an owner, by its id, or a record of an interrupted creation by it.
   * @param options - `asOwn`: as one that was made for this stack. A copied or renamed state has that of another one.
   */
  knows(ownerId: string, options?: { readonly asOwn?: boolean }): boolean;
  /** Whether the state shows that an owner never had a key: no resource has one, or a trace of a request for one. */
  neverHadKey(ownerId: string): boolean;
  /** Whether the name of a key has the tag of an owner in the state. */
  owns(name: string): boolean;
  /** Whether a resource holds a key, also one that was replaced; `unknown` if the state hides ids of keys. */
  holds(key: ApiKeyRecord): "yes" | "no" | "unknown";
  /** The resources that have a key as their current or previous one. */
  holdersOf(key: HeldName): readonly KeyHolder[];
  /** What requested a key of this name, if the state has a record of it. */
  requestOf(name: string): KeyRequest | undefined;
  /** When an owner was created, in milliseconds since 1970; `undefined` if the state does not tell. */
  madeAt(ownerId: string): number | undefined;
  /** The URNs of interrupted creations. */
  interrupted(): readonly string[];
  /** Ids of the current keys of an owner's resources in one list of the service. */
  currentKeys(ownerId: string, organizationId: string | undefined): readonly string[];
  /** The resource that replaced another one with the same URN; `undefined` if there is none. */
  successorOf(
    urn: string,
    id: string,
  ): (Made & Readonly<{ created?: number | undefined; hasFailed?: boolean; hasAfterHook?: boolean }>) | undefined;
  /**
   * Names of the resources that may still have the outputs of a resource that is deleted: those that use it, also through
   * resources that were updated since its successor was made, and were not updated since then themselves.
   */
  waitingFor(urn: string, id: string, terms?: WaitingTerms): readonly string[];
  /** Whether the stack has hooks that run after a creation or update, whose failures the state does not show. */
  hasAfterHooks(): boolean;
}

export interface WaitingTerms {
  /** Whether the time at which a resource was changed proves an update. @default always */
  readonly isUpdate?: (changedAt: number) => boolean;
  /** Whether the command continues after errors. Then every consumer waits that has hooks after a change. @default false */
  readonly goesOn?: boolean;
}

/** What the history of the stack showed when a key was replaced. Times are in milliseconds since 1970. */
export interface HistoryMark {
  /** When the provider of that run was started, by the clock of its machine, which is that of its engine. */
  readonly startedAt: number;
  /** When the last run that reached the whole stack ended; 0 if there was none. */
  readonly lastEnd: number;
  /** How many such runs ended then: the history has whole seconds. */
  readonly runsAtLastEnd: number;
  /** The newest run that had ended, if the backend is a service, which numbers them. The next number is that of the run. */
  readonly newest?: { readonly version: number; readonly began: number } | undefined;
  /** Whether the history did not show the run of the mark before it, either. @default false */
  readonly isAgain?: boolean;
}

/**
 * How a change of a resource reached the rest of the stack: in the run that made it, which ended at this time in
 * milliseconds since 1970, or in a later one; `undefined` if no run is known to have reached the whole stack since.
 */
export type Delivery = number | "later" | undefined;

/** What the history of the stack says about its runs. A URN names a resource, and so the stack. */
export interface History {
  /** What the history shows now, to record with a change; `undefined` if it cannot be read. */
  mark(urn: string): Promise<HistoryMark | undefined>;
  /** How the change with this mark was delivered. */
  since(mark: HistoryMark, urn: string): Promise<Delivery>;
  /** Whether a run of this period may have delivered keys without a record; `undefined` if it cannot be read. */
  mayHaveDeliveredBetween(from: number, to: number, urn: string): Promise<boolean | undefined>;
  /** Whether the run that was under way then may have succeeded; `undefined` if it cannot be read. */
  mayHaveSucceeded(at: number, urn: string): Promise<boolean | undefined>;
  /** Tells whether the time at which a resource was changed, since `from`, proves an update of it. */
  updatesSince(from: number, urn: string): Promise<(changedAt: number) => boolean>;
}
