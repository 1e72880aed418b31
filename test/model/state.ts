import type { resourceTypes } from "../../provider/dynamic/registry";
import type { Properties } from "../../provider/schema/outputs";
import type { StackHarness } from "../unit/resources/harness";

/** Options of a resource, its own or inherited from a component. Only the engine uses them. */
export interface Options {
  readonly protect?: boolean;
  readonly retainOnDelete?: boolean;
  /** It is deleted together with another resource, which only a destroy deletes. */
  readonly deletedWith?: boolean;
  readonly deleteBeforeReplace?: boolean;
  /** A change replaces the resource without asking the provider, as `replaceWith` does. */
  readonly replacementTrigger?: number;
}

/** A key of a program. */
export interface DeclaredKey {
  readonly rotating: boolean;
  readonly consumed: boolean;
  /** Whether it is created only when no operation is under way in the project. */
  readonly waits?: boolean;
  /** Whether it adopts a key that was created by hand. */
  readonly adopts?: boolean;
  /** A former name. */
  readonly alias?: string | undefined;
  /** Which of its keys `revokeNow` names. */
  readonly revokes?: "current" | "previous" | undefined;
  readonly options?: Options;
  readonly inputs: Properties;
}

/** The keys that a program declares, by name. */
export type Program = Readonly<Record<string, DeclaredKey>>;

/** Where a command is killed: in which step, and when in that step. */
export interface Crash {
  readonly step: number;
  /** Before the call of the provider, after a number of its moments, before its result is saved, or right after that. */
  readonly when: "before" | number | "unsaved" | "saved";
  /**
   * What is killed: the engine alone, so that the provider finishes its creations and ends; the provider alone, so that
   * its calls fail and the engine goes on; or both. @default "both"
   */
  readonly victim?: "engine" | "provider" | "both";
}

/** Options of a command beside its program. Names are names of keys. */
export interface Flags {
  readonly refresh?: boolean;
  readonly crash?: Crash | undefined;
  /** Whether the configuration points to another account. */
  readonly away?: boolean | undefined;
  readonly target?: readonly string[] | undefined;
  readonly targetDependents?: boolean | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly replace?: readonly string[] | undefined;
  readonly continueOnError?: boolean | undefined;
  /** The keys whose consumers fail. */
  readonly failing?: readonly string[] | undefined;
  /** Whether all keys are checked before the first of them is created. */
  readonly together?: boolean | undefined;
  /** Whether resources that do not depend on each other are read and deleted in the reverse order. */
  readonly reversed?: boolean | undefined;
  /** Whether the provider cannot read the command line. */
  readonly unreadable?: boolean | undefined;
  /** Whether the command follows a plan, so that the inputs of a run must not differ from those of its preview. */
  readonly planned?: boolean | undefined;
  /** Whether a refresh forgets the creations that killed runs have begun. */
  readonly clearPending?: boolean | undefined;
}

/** The account to which a configuration points, and its credential. */
export interface Place {
  readonly harness: StackHarness;
  readonly apiKey: string;
  /** Whether the user confirms the account. */
  readonly confirmed?: boolean;
}

/** A resource in the state. */
export interface Stored {
  readonly name: string;
  readonly kind: keyof typeof resourceTypes;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly options: Options;
  readonly notReady: boolean;
  /** Whether it has been replaced and waits for its deletion. */
  readonly doomed: boolean;
  /** When it was created, and when it was last created or updated, in milliseconds since 1970. */
  readonly created: number;
  readonly modified: number;
  /** Whether it was deleted before its replacement, which does not exist yet. */
  readonly pendingReplacement?: boolean;
  /** Whether the next run replaces it, as `state taint` asks. */
  readonly tainted?: boolean;
  /** The name under which this run still deletes a resource whose successor it has renamed. */
  readonly calledAs?: string;
  /** The URN of its provider, if it has one of its own. */
  readonly provider?: string;
}

/** A consumer in the state: the key that it got last, as the engine knows. */
export interface StoredConsumer {
  readonly keyId: string;
  readonly created: number;
  readonly modified: number;
}

/** A creation that was begun: a pending operation of the state. */
export type Note = Pick<Stored, "name" | "kind" | "inputs">;

/** Everything that a checkpoint contains. */
export interface Checkpoint {
  readonly resources: readonly Stored[];
  /** By the name of their key. */
  readonly consumers: ReadonlyMap<string, StoredConsumer>;
  readonly notes: readonly Note[];
}

/** Ids of the keys that outputs name, in any role. */
export function keysIn({ keyId, previousKeyId, ...lists }: Properties): readonly string[] {
  const { pendingRevocations, retired, retiring, compromised } = lists;
  const ids = [keyId, previousKeyId, pendingRevocations, retired, retiring, compromised].flat();
  return ids.filter((id) => id !== undefined).map(String);
}

/** Ids of the current and the previous key in outputs. */
export function handedOutIn({ keyId, previousKeyId }: Properties): readonly string[] {
  return [keyId, previousKeyId].filter((id) => id !== undefined).map(String);
}
