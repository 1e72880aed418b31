/** The state during a run: the initial state, completed steps, and pending operations. */

import { reachKillPoint } from "../provider/kill-points";
import type { Base } from "../run/deployment";
import { RefreshStep, type Step } from "../steps";
import { type Deployment as Checkpoint, manifestAt, type PendingOperation, type ResourceState } from "./checkpoint";
import { integrityError } from "./integrity";
import { normalizeUrns } from "./normalize-urns";
import type { Resource } from "./resource";
import { equalValues } from "./values";

/** Writes the state that is current at the time of the call. */
export type Save = () => Promise<void>;

/** Ends a step: records its result. */
export type EndStep = (successful: boolean) => Promise<void>;

const OPERATION_TYPES: Readonly<Partial<Record<Step["op"], PendingOperation["type"]>>> = {
  create: "creating",
  "create-replacement": "creating",
  update: "updating",
  delete: "deleting",
  "delete-replaced": "deleting",
};

/** Merges the results of steps into the initial state. */
export class Snapshot {
  private readonly results: Resource[] = [];
  private readonly done = new Set<Resource>();
  private readonly pending = new Map<Resource, PendingOperation["type"]>();
  private unsaved = true;
  /** What is wrong with the last written state. */
  private problem: string | undefined;

  /**
   * @param base the initial state, which a refresh changes.
   * @param save writes the result of {@link current}, which it calls once per write.
   * @param problemOf returns what is wrong with a state.
   */
  constructor(
    private readonly base: Base,
    private readonly save: Save,
    private readonly problemOf = integrityError,
  ) {}

  /** Returns the current state, to be written. */
  current(): Checkpoint {
    const started = [...this.pending].map(([resource, type]) => ({ resource: resource.state, type }));
    // The engine cannot know whether an interrupted creation took effect. It stays pending until a person resolves it.
    const interrupted = this.base.pendingOperations.filter(({ type }) => type === "creating");
    const left = (resource: Resource) => !this.done.has(resource);
    const states = [...this.results.filter(left), ...this.base.resources.filter(left)].map(({ state }) => state);
    const resources = normalizeUrns(states);
    this.problem = this.problemOf(resources);
    return { manifest: manifestAt(new Date()), resources, pending_operations: [...started, ...interrupted] };
  }

  /** Records the start of a step. @returns a function that records its result. */
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

  /** Records the outputs that a resource registered after its step. */
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
        // A resource that is deleted before its replacement stays in the state, with a mark, until the replacement
        // exists.
        if (
          step.old &&
          !(step.new === undefined && step.op !== "remove-pending-replace" && step.old.state.pendingReplacement)
        ) {
          this.done.add(step.old);
        }
    }
    if (step.new) this.results.push(step.new);
  }

  private async write(): Promise<void> {
    this.unsaved = false;
    await this.saveValid();
  }

  /** Writes the state even if it is invalid, because it may contain data that exists nowhere else. */
  private async saveValid(): Promise<void> {
    await this.save();
    if (this.problem) throw new Error(`the state was written, but it is not valid: ${this.problem}`);
  }
}

/** Fields whose changes are written immediately. Other fields are written with the next change. */
const MATTERING: readonly (keyof ResourceState)[] = [
  "urn",
  "type",
  "custom",
  "customTimeouts",
  "retainOnDelete",
  "provider",
  "parent",
  "protect",
  "inputs",
  "outputs",
  "dependencies",
];

function changesState({ old, new: resource }: Step): boolean {
  if (!old || !resource) return false;
  return MATTERING.some((field) => !equalValues(meaningful(old.state[field]), meaningful(resource.state[field])));
}

/** Normalizes values: absent, false and empty are the same. */
function meaningful(value: ResourceState[keyof ResourceState]): Parameters<typeof equalValues>[0] {
  const isEmpty = !value || (typeof value === "object" && Object.keys(value).length === 0);
  return isEmpty ? null : (value as Parameters<typeof equalValues>[0]);
}
