import type { ApiKeyRecord } from "../api/records";
import type { Properties } from "./resource-type";

/**
 * What the stack's own state says, as the engine has saved it by now. It only counts if it proves to be the state of
 * this stack: it must contain the owner in question.
 */
export interface Witness {
  /** Whether the state contains an owner, by its id, or a record of an interrupted creation by it. */
  knows(ownerId: string): boolean;
  /** Whether the name of a key has the tag of an owner in the state. */
  owns(name: string): boolean;
  /** Whether a resource holds a key, also one that was replaced; `unknown` if the state hides ids of keys. */
  holds(key: ApiKeyRecord): "yes" | "no" | "unknown";
  /** Whether the state has a record of an interrupted run that requested a key of this name. */
  wasRequested(name: string): boolean;
  /** The URNs of interrupted creations. */
  interrupted(): readonly string[];
  /** Ids of the current keys of an owner's resources in one list of the service. */
  currentKeys(ownerId: string, organizationId: string | undefined): readonly string[];
  /** The resource that replaced another one with the same URN; `undefined` if there is none. */
  successorOf(urn: string, id: string): { readonly id: string; readonly outputs: Properties } | undefined;
  /**
   * When a resource was created or last updated, in milliseconds since 1970; `undefined` if that is not recorded. Until
   * its update has ended, a renamed resource has its former URN.
   */
  changed(id: string): number | undefined;
  /**
   * Names of the resources that may still have the outputs of a resource that is deleted: those that use it, and were
   * not updated since its successor was made, if it has one.
   */
  waitingFor(urn: string, id: string): readonly string[];
}
