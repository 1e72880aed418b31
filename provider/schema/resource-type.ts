import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import type { ApiKeyRecord } from "../api/records";
import type { ErrorCode } from "../errors";
import type { Settings } from "../settings/settings";
import type { FieldRule } from "./field-types";

/** What a program declared, checked; or what a resource reports back. Plain JSON values. */
export type Properties = Readonly<Record<string, unknown>>;

/** One thing wrong with the inputs: the property's path and the remedy. */
export interface Failure {
  readonly property: string;
  readonly reason: string;
  /** @default "KP-INPUT" */
  readonly code?: ErrorCode;
}

/** A change that is due although the program did not change: age, an unfinished wait, a revocation to repeat. */
export interface Due {
  /** The field that asks for it. */
  readonly field: string;
  /** Whether the resource must be replaced; otherwise it is updated in place. */
  readonly replace: boolean;
  /** Said once to the user where the reason is not plain from the program. */
  readonly why?: string;
  /** Whether it is something that the world did, which a refresh has to report. */
  readonly drift?: boolean;
}

/** What the verbs of one run tell those that come after them in the same scope. */
export interface RunNotes {
  /** Whether the program declares keys in this scope: in a destroy it does not, and neither does it after they moved. */
  hasProgram: boolean;
  /** Identity of the scope's owner, once a key of the program was checked under it. */
  owner?: string;
  /** Whether the scope's owner was created in this run, so that no earlier run can have left a key behind. */
  isNewOwner: boolean;
  /** Ids of owners whose keys this account was seen to hold, though its credential is another than before. */
  readonly provenOwners: Set<string>;
  /** Ids of keys that the state held when a `destroy` began. */
  readonly held: Set<string>;
  /** Why keys that are deleted in this run stay live, by id. */
  readonly kept: Map<string, string>;
  /** Names of recent lost requests whose keys never showed up, of resources that the engine deletes in the run. */
  readonly lostNames: Set<string>;
  /** The URN of the resource that adopts a key, by the key's id. */
  readonly adopters: Map<string, string>;
  /** The ids of the resources of the program that hold a key, by the key's id. */
  readonly holders: Map<string, Set<string>>;
  /** Names of the keys that resources of the program hold. */
  readonly heldNames: Set<string>;
  /** A list that was sent after another one lacked a key that was to be revoked. */
  secondList?: Promise<readonly ApiKeyRecord[]>;
  /** The settings that hold keys as credentials of keyplane itself, by the ids of those keys that the run has met. */
  readonly ownKeys: Map<string, string>;
}

/** The notes at the beginning of a run. */
export function newRunNotes(): RunNotes {
  return {
    hasProgram: false,
    isNewOwner: false,
    provenOwners: new Set(),
    held: new Set(),
    kept: new Map(),
    lostNames: new Set(),
    adopters: new Map(),
    holders: new Map(),
    heldNames: new Set(),
    ownKeys: new Map(),
  };
}

/**
 * What every verb is given: the way to the service and to the person watching. All of it is about one scope:
 * that of the inputs in `check` and `create`, else that of the outputs, where the resource is.
 */
export interface Context {
  /** The name that the program gave the resource. */
  readonly resourceName: string;
  readonly settings: () => Settings;
  /** The account that the settings lead to. Throws a `ConfigError` where they are missing or wrong. */
  readonly account: () => Account;
  /** The keys of the scope: those of the account, or of an organization in it. Throws as `account` does. */
  readonly keys: () => Keys;
  /** Short text that tells this account from others. Throws as `settings` does. */
  readonly fingerprint: () => string;
  readonly now: () => number;
  readonly run: RunNotes;
  /** Whether states are written only at the end of the run, so that no unrecorded key may be taken for an orphan. */
  readonly checkpointsSkipped: boolean;
  /** Shows what is being waited for in the resource's own row; forgotten when the next one comes. */
  readonly progress: (text: string) => void;
  /** Stays under the resource's diagnostics. */
  readonly info: (text: string) => void;
  /** Stays under the resource's diagnostics, as a warning. */
  readonly warn: (text: string) => void;
}

/** What decides what is due. */
export interface DueTerms {
  /** The local wall clock, in milliseconds. */
  readonly now: number;
  /** The fingerprint of the account that the settings lead to, where it matters. */
  readonly fingerprint?: () => string;
}

/** A key in a resource's charge, by its id and, where it is known, its name. */
export interface HeldName {
  readonly id: string;
  readonly name?: string | undefined;
}

/** A resource type: its fields as data, and its verbs. */
export interface ResourceType {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Outputs for programs that the resource does not always have. */
  readonly canBeAbsent?: readonly string[];
  /** Rules that hold between fields; only called with inputs whose fields are right and known. */
  readonly rules?: (inputs: Properties, context: Context) => readonly Failure[];
  /** What is due regardless of the program; a refresh, which judges drift only, takes no more of it than that. */
  readonly due?: (outputs: Properties, inputs: Properties, terms: DueTerms) => readonly Due[];
  /** The keys that a resource has in its charge. */
  readonly holds?: (outputs: Properties) => readonly HeldName[];
  /** Whether a replacement must delete the old one first. */
  readonly deleteBeforeReplace?: (outputs: Properties, inputs: Properties) => boolean;
  readonly create: (inputs: Properties, context: Context) => Promise<{ id: string; outputs: Properties }>;
  /** The outputs as they are now; `undefined` when the resource is proven to be gone. */
  readonly read: (id: string, outputs: Properties, context: Context) => Promise<Properties | undefined>;
  readonly update: (id: string, outputs: Properties, inputs: Properties, context: Context) => Promise<Properties>;
  readonly delete: (id: string, outputs: Properties, context: Context) => Promise<void>;
}

/**
 * The resource exists but is not ready: it is recorded with these outputs, and the next `up` goes on from there.
 * Thrown by `create` and `update` only.
 */
export class NotReady extends Error {
  override readonly name = "NotReady";
  readonly code: ErrorCode = "KP-NOT-READY";

  constructor(
    readonly id: string,
    readonly outputs: Properties,
    readonly reason: string,
  ) {
    super(reason);
  }
}
