/** The state during a run: what was there, with what the run has done so far and what it is doing. */
import { type Deployment as Checkpoint, manifestAt, type PendingOperation, type ResourceState } from "./checkpoint";
import type { Base } from "./deployment";
import { integrityError } from "./integrity";
import { reachKillPoint } from "./kill-points";
import { normalizeUrns } from "./normalize-urns";
import type { Resource } from "./resource";
import { RefreshStep, type Step } from "./steps";
import { equalValues } from "./values";

/** Writes the state that is current when it is called. */
export type Save = () => Promise<void>;

/** Ends a step: records its result. */
export type EndStep = (successful: boolean) => Promise<void>;

const OPERATION_TYPES: Readonly<Partial<Record<Step["op"], PendingOperation["type"]>>> = {
  create: "creating",
  "create-replacement": "creating",
  update: "updating",
  delete: "deleting",
  "delete-replaced": "deleting",
  discard: "deleting",
  "discard-replaced": "deleting",
  read: "reading",
  "read-replacement": "reading",
};

/** Merges the results of steps into the state the run started from. */
export class Snapshot {
  private readonly results: Resource[] = [];
  private readonly done = new Set<Resource>();
  private readonly pending = new Map<Resource, PendingOperation["type"]>();
  private unsaved = true;
  /** What is wrong with the state that was written last. */
  private problem: string | undefined;

  /**
   * @param base what the run started from; a refresh changes it.
   * @param save writes what {@link current} returns, which it asks for once a write.
   * @param options.onlyAtEnd whether to write once at the end instead of at every step: faster, and lost in a crash.
   * @param options.unchecked whether a state is written without a look at whether it is valid.
   */
  constructor(
    private readonly base: Base,
    private readonly save: Save,
    private readonly options: { readonly onlyAtEnd: boolean; readonly unchecked: boolean },
  ) {}

  /** The state as it is now, to be written. */
  current(): Checkpoint {
    const started = [...this.pending].map(([resource, type]) => ({ resource: resource.state, type }));
    // Whether an interrupted creation took place is for people to find out: it stays until they say so.
    const interrupted = this.base.pendingOperations.filter(({ type }) => type === "creating");
    const left = (resource: Resource) => !this.done.has(resource);
    const states = [...this.results.filter(left), ...this.base.resources.filter(left)].map(({ state }) => state);
    const resources = normalizeUrns(states);
    this.problem = this.options.unchecked ? undefined : integrityError(resources);
    return { manifest: manifestAt(new Date()), resources, pending_operations: [...started, ...interrupted] };
  }

  /** Records that a step is about to be taken. @returns what records its result. */
  async begin(step: Step): Promise<EndStep> {
    const type = OPERATION_TYPES[step.op];
    if (type === undefined) return (successful) => this.end(step, successful);
    const resource = type === "deleting" ? step.old : step.new;
    if (resource === undefined) throw new Error(`${step.op} without a resource: ${step.urn}`);
    reachKillPoint("before-pending-write", step.urn, step.op);
    this.pending.set(resource, type);
    await this.write();
    reachKillPoint("after-pending-write", step.urn, step.op);
    return async (successful) => {
      this.pending.delete(resource);
      await this.end(step, successful);
    };
  }

  /** Records the outputs a resource registered after its step. */
  async outputsRegistered(step: Step): Promise<void> {
    if (step.old && step.new && equalValues(step.old.state.outputs ?? {}, step.new.state.outputs ?? {})) {
      this.unsaved = true;
    } else await this.write();
  }

  /** Writes what has not been written. */
  async close(): Promise<void> {
    if (this.unsaved) await this.saveValid();
  }

  private async end(step: Step, successful: boolean): Promise<void> {
    if (successful) this.merge(step);
    if (step.op === "replace" || step instanceof RefreshStep || (step.op === "same" && !changesState(step))) {
      this.unsaved = true;
      return;
    }
    reachKillPoint("before-state-write", step.urn, step.op);
    await this.write();
    reachKillPoint("after-state-write", step.urn, step.op);
  }

  private merge(step: Step): void {
    switch (step.op) {
      case "replace":
      case "refresh":
        return;
      case "create":
      case "create-replacement":
        if (step.old?.state.pendingReplacement) this.done.add(step.old);
        break;
      default:
        // What is deleted to be created anew stays, marked so, until it has been.
        if (
          step.old &&
          !(step.new === undefined && step.op !== "remove-pending-replace" && step.old.state.pendingReplacement)
        ) {
          this.done.add(step.old);
        }
    }
    if (step.new && !step.skippedCreate) this.results.push(step.new);
  }

  private async write(): Promise<void> {
    this.unsaved = this.options.onlyAtEnd;
    if (!this.options.onlyAtEnd) await this.saveValid();
  }

  /** It is written in any case: it may hold what is nowhere else. */
  private async saveValid(): Promise<void> {
    await this.save();
    if (this.problem) throw new Error(`the state was written, but it is not valid: ${this.problem}`);
  }
}

/** What of a state matters enough to be written at once; the rest is written with the next change. */
const MATTERING: readonly (keyof ResourceState)[] = [
  "urn",
  "type",
  "custom",
  "customTimeouts",
  "retainOnDelete",
  "provider",
  "parent",
  "deletedWith",
  "replaceWith",
  "protect",
  "inputs",
  "outputs",
  "dependencies",
  "replacementTrigger",
];

function changesState({ old, new: resource, skippedCreate }: Step): boolean {
  if (!old || !resource || skippedCreate) return false;
  return MATTERING.some((field) => !equalValues(meaningful(old.state[field]), meaningful(resource.state[field])));
}

/** Absent, false and empty mean the same. */
function meaningful(value: ResourceState[keyof ResourceState]): Parameters<typeof equalValues>[0] {
  const isEmpty = !value || (typeof value === "object" && Object.keys(value).length === 0);
  return isEmpty ? null : (value as Parameters<typeof equalValues>[0]);
}
