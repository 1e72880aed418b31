import type { Account } from "../api/account";
import type { Keys } from "../api/keys/api-keys";
import type { ApiKeyRecord } from "../api/records";
import type { ErrorCode } from "../errors";
import type { Settings } from "../settings/settings";
import type { Digest } from "./digest";
import type { FieldRule, Planned } from "./field-types";
import type { Given, Made, Outputs } from "./outputs";
import type { HeldName, History, Witness } from "./witness";

/** One error in the inputs: the property's path and the remedy. */
export interface Failure {
  readonly property: string;
  readonly reason: string;
  /** @default "KP-INPUT" */
  readonly code?: ErrorCode;
  /** What the program has declared, if it is not the resource. */
  readonly of?: string | undefined;
  /** The names that exist, if the property does not. The nearest one is suggested. */
  readonly known?: readonly string[];
}

/** A change that is due although the program did not change: age, an unfinished wait, a revocation to retry. */
export interface Due {
  readonly field: string;
  /** Whether the resource must be replaced; otherwise it is updated in place. */
  readonly replace: boolean;
  /** Shown once to the user if the program does not show the reason. */
  readonly why?: string;
  /** Whether it is drift, which a refresh must report. */
  readonly drift?: boolean;
}

/** The first time at or after another one at which a key is due for rotation by age. Both are in milliseconds. */
export type NextDue = (from: number) => number;

/** Since when, and of which runs, a ledger knows what was delivered. */
export interface LedgerRecord {
  /**
   * Since when it knows all keys that runs have delivered, in milliseconds since 1970; 0 if since the stack got its owner.
   * A new one does not know earlier ones: an interrupted destroy may have deleted the ledger before it. @default never
   */
  readonly knowsSince?: number | undefined;
  /**
   * When it has last judged all keys and left none in question, by the service's clock, in milliseconds since 1970.
   * @default never
   */
  readonly sweptAt?: number;
  /** The ids of the last runs that ended with it, so that it knows all their keys. @default none */
  readonly endedRuns?: readonly string[];
}

/** What a ledger has on record of a previous key. */
export interface DeliveryRecord {
  readonly successor: string;
  /** ISO 8601 time at which the first run had ended that gave the successor to the whole stack. */
  readonly deliveredAt: string;
  /** ISO 8601 time of its last known use. */
  readonly usedAt?: string | undefined;
  /** Whether it was revoked; `gone` if two lists lacked it. Its resource names it until it finds it gone. */
  readonly isRevoked?: true | "gone" | undefined;
}

/** What a resource records of its lost requests: their names, and when the last one was lost. */
export type LostRequests = Readonly<{ lostNames?: readonly string[]; lostAt?: string }>;

/** Notes that the verbs of one run leave for later verbs in the same scope. */
export class RunNotes {
  /** Whether the program declares keys in this scope. False in a destroy, and after the keys moved elsewhere. */
  hasProgram = false;
  /** Identity of the scope's owner, set once a key of the program has been checked with it. */
  owner?: string;
  /** The former name of the stack, if its owner is replaced because no setting says that the stack was renamed. */
  formerStack?: string | undefined;
  /** Whether the scope's owner was created in this run, so that no earlier run can have left a key behind. */
  isNewOwner = false;
  /** Ids of owners whose keys are proven to be in this account, even if its credential has changed. */
  readonly provenOwners = new Set<string>();
  /** What the ledger has told before a destroy deleted it. `held` has the ids of keys that the state contained. */
  ledger: {
    readonly record: LedgerRecord;
    readonly held: ReadonlySet<string>;
    readonly deliveries: ReadonlyMap<string, DeliveryRecord>;
  } = { record: {}, held: new Set(), deliveries: new Map() };
  /** Ids of keys that the program names as compromised. */
  readonly compromised = new Set<string>();
  /** The URN of the resource whose deletion in this run left a key live, and said so, by the key's id. */
  readonly kept = new Map<string, string>();
  /** Ids of keys that no resource has, about which the user was told. */
  readonly reported = new Set<string>();
  /** The names of this run's lost requests. */
  readonly lostNames = new Set<string>();
  /** The URN of the resource that adopts a key, by the key's id. */
  readonly adopters = new Map<string, string>();
  /** The ids of the resources of the program that hold a key, by the key's id. */
  readonly holders = new Map<string, Set<string>>();
  /** The URN of the resource of the program that was last seen to hold a key, by the key's id. */
  readonly lastHolders = new Map<string, string>();
  /** The URNs that the names of a key's holders in the state are made for, by the key's id. */
  readonly holderUrns = new Map<string, Set<string>>();
  /** Names of the keys that resources of the program hold. */
  readonly heldNames = new Set<string>();
  /** A list that was requested after another one lacked a key to revoke. */
  secondList?: Promise<readonly ApiKeyRecord[]>;
  /** The lost requests of a resource by its URN. Its replacement goes on to look for their keys. */
  readonly lostBefore = new Map<string, LostRequests>();
  /** When the keys are due that are replaced only because of their age, by the URN of their resource. */
  readonly replacedByAge = new Map<string, NextDue | undefined>();
  /** Whether the user was told that the address of the service is new. */
  isOriginReported = false;
  /** Whether the user was told that the machine's clock is wrong. */
  isSkewReported = false;
  /** The settings whose keys keyplane itself authenticates with, by key id, as far as the run knows the ids. */
  readonly ownKeys = new Map<string, string>();
}

/**
 * What every verb gets: access to the service and to the user's display. All of it belongs to one scope: the scope of
 * the inputs in `check` and `create`, otherwise the scope of the outputs, where the resource is.
 */
export interface Context {
  /** The resource's URN, which ends with the name that the program gave it. */
  readonly urn: string;
  readonly settings: () => Settings;
  /** The account of the settings. Throws a `ConfigError` if they are missing or invalid. */
  readonly account: () => Account;
  /** The keys of the scope: the account's own, or an organization's. Throws as `account` does. */
  readonly keys: () => Keys;
  /** Short text that distinguishes this account, and its address, from others. Throws as `settings` does. */
  readonly accountMark: () => string;
  readonly now: () => number;
  readonly run: RunNotes;
  /** The account, and the list of the service, that have the keys. */
  readonly scope: { readonly account: string | undefined; readonly organizationId: string | undefined };
  /** Whether the state is written only at the end of the run, so that it does not show what this run has done. */
  readonly checkpointsSkipped: boolean;
  /** A random part for the name of a new key. No two calls return the same one. */
  readonly nonce: () => string;
  /** Runs the creation of a key, which is finished if the engine dies meanwhile. */
  readonly creating: <T>(creation: Promise<T>) => Promise<T>;
  /** Records a key of this verb, which is revoked if the engine dies before it gets the answer. */
  readonly noteCreated: (id: string) => void;
  /** The id of this run, which begins its nonces, and its start; `undefined` if the state cannot record it. */
  readonly runRecord?: string | undefined;
  /**
   * What the stack's own state says by now; `undefined` if it cannot be read, or lacks the owner in an identity, because the
   * CLI can answer with the state of another stack. The verbs of one phase of a run share it.
   */
  readonly witness: (identity: string | undefined, look?: Look) => Promise<Witness | undefined>;
  readonly history: History;
  /** Whether the program of this run has declared the resource by now. */
  readonly isDeclared: boolean;
  /** Whether a ledger records the delivery of keys. Otherwise only the history shows it. */
  readonly hasLedger: boolean;
  readonly command: () => Command;
  /** Shows in the resource's own row what it waits for. The next message replaces it. */
  readonly progress: (text: string) => void;
  /** Adds a message to the resource's diagnostics. */
  readonly info: (text: string) => void;
  /** Adds a warning to the resource's diagnostics. */
  readonly warn: (text: string) => void;
  /** The owner of the resource in this run, if it is not the one in `run`. */
  readonly ownerNow?: string | undefined;
  /** The resource option `customTimeouts` of this verb, in milliseconds, if the front end is told. */
  readonly customTimeoutMs?: number | undefined;
  /** Called before a key is created, after the account has been checked. */
  readonly beforeCreate?: ((context: Context) => Promise<void>) | undefined;
}

/** How the stack's own state is read. */
export interface Look {
  /** Whether it is read again. */
  readonly fresh?: boolean;
  /** Whether the owner must be one that was made for this stack. A copied or renamed state has that of another one. */
  readonly asOwn?: boolean;
}

/** The command that runs, as far as a provider can know it. */
export interface Command {
  /**
   * Whether the engine may delete what was replaced although a consumer failed or was left out: the command has targets
   * or exclusions, or continues after errors. True if it cannot be read.
   */
  readonly isInDoubt: boolean;
  /** Whether it is known to have targets or exclusions, so that it can leave out consumers. */
  readonly isLimited: boolean;
  /** Whether it is known to continue after errors. */
  readonly goesOn?: boolean;
  /** Whether it is known to destroy the stack. */
  readonly isDestroy: boolean;
}

/** What determines which changes are due. */
export interface DueTerms {
  /** The local wall clock, in milliseconds. */
  readonly now: number;
  /** The mark of the account of the settings, if it matters. */
  readonly accountMark?: () => string;
  /** Whether a ledger revokes the keys that resources retire. */
  readonly hasLedger: boolean;
  /** The former names of the stack, according to the settings. */
  readonly renamedFrom?: () => readonly string[];
}

export interface Imported<Inputs = Given, State = Outputs> extends Made<State> {
  /** The inputs of a program that leaves it as it is. */
  readonly inputs: Inputs;
}

/** The values of some fields, or their digests. */
type InForce<Inputs> = { readonly [Name in keyof Inputs]?: Inputs[Name] | Digest | undefined };

/**
 * A resource type: its fields as data, and its verbs. A file that declares one gives the types of its inputs and its
 * state. Without them, this is a type as its callers use it: they pass checked inputs and outputs.
 */
export interface ResourceType<Inputs = Given, State = Outputs> {
  readonly name: string;
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Public outputs that are not inputs. */
  readonly outputs: readonly string[];
  /** Those that the resource does not always have. */
  readonly canBeAbsent?: readonly string[];
  /** Those that need an input, by its name. */
  readonly onlyWith?: Readonly<Record<string, readonly string[]>>;
  /** The values in force of those fields that the outputs do not repeat under their own names. */
  readonly inForce?: ((state: State, inputs: Planned<Inputs>) => InForce<Inputs>) | undefined;
  /** Those outputs that an update does not change. Called with the new inputs. @default none */
  readonly stable?: ((state: State, inputs: Planned<Inputs>, now: number) => readonly string[]) | undefined;
  /** Adds what only keyplane needs to checked inputs. */
  readonly completed?: (inputs: Inputs, before: Partial<Inputs>, context: Context) => Inputs;
  /**
   * Rules between fields. Called only with inputs whose fields are valid and known.
   * @param before - The inputs in the state; none if the resource is to be created.
   */
  readonly rules?: (inputs: Planned<Inputs>, context: Context, before: Partial<Inputs>) => readonly Failure[];
  /** What the program has declared instead of the resource, for failures of one that no program declares. */
  readonly declaredAs?: (inputs: Planned<Partial<Inputs>>) => string | undefined;
  /** What is due regardless of the program. A refresh uses only the drift in it. */
  readonly due?: ((state: State, inputs: Planned<Inputs>, terms: DueTerms) => readonly Due[]) | undefined;
  /** Why a compromised key must be revoked once the whole stack has its successor; `undefined` if there is none. */
  readonly compromised?: ((state: State, inputs: Planned<Inputs>) => string | undefined) | undefined;
  readonly holds?: ((state: State) => readonly HeldName[]) | undefined;
  /** Whether a replacement must delete the old resource first. */
  readonly deleteBeforeReplace?: ((state: State, inputs: Planned<Inputs>) => boolean) | undefined;
  readonly create: (inputs: Inputs, context: Context) => Promise<Made<State>>;
  /** The current state; `undefined` if the resource is proven to be gone. */
  readonly read: (id: string, state: State, context: Context) => Promise<State | undefined>;
  readonly update: (id: string, state: State, inputs: Inputs, context: Context) => Promise<State>;
  /**
   * Takes over what exists on the service; absent if the type does not support it.
   * @param id - The id on the service.
   * @param key - The secret of a key, if it is known.
   * @param inputs - The scope and, for a key, its owner.
   */
  readonly import?:
    | ((id: string, key: string | undefined, inputs: Inputs, context: Context) => Promise<Imported<Inputs, State>>)
    | undefined;
  readonly delete: (id: string, state: State, context: Context) => Promise<void>;
}

/**
 * The resource exists but is not ready. It is recorded with these outputs, and the next `up` continues from there.
 * Only `create` and `update` throw it.
 */
export class NotReady<State = Outputs> extends Error {
  override readonly name = "NotReady";
  readonly code: ErrorCode = "KP-NOT-READY";

  constructor(
    readonly id: string,
    readonly outputs: State,
    message: string,
  ) {
    super(message);
  }
}
