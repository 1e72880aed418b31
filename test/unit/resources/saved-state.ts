import { ownerIdIn } from "../../../provider/keys/identity";
import type { Properties } from "../../../provider/schema/outputs";
import type { Look } from "../../../provider/schema/resource-type";
import { readDeployment } from "../../../provider/stack/deployment";
import { StackWitness } from "../../../provider/stack/witness";

/** The stack under test. */
export const STACK = { project: "app", stack: "dev" };

/** A resource in a state, as the engine writes it. */
export interface Saved {
  readonly id: string;
  /** @default "ApiKey" */
  readonly type?: string;
  /** @default "ci" */
  readonly name?: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
  /** Fields of the engine, such as `delete` and `modified`. */
  readonly engine?: Properties;
}

/** The owner in a state. */
export interface SavedOwner {
  readonly id: string;
  readonly identity: string;
  /** Ids of the runs on record. */
  readonly runs: readonly string[];
  /** The stack that it was made for. @default the stack under test */
  readonly stack?: string;
}

/** The state of a stack, as the engine has saved it by now. */
export class SavedState {
  /** How often it was read. */
  reads = 0;
  readonly #resources: Properties[] = [];
  readonly #creating: Properties[] = [];

  constructor(owner: SavedOwner) {
    const { id, identity, runs, stack = STACK.stack } = owner;
    const engine = { created: "2026-01-01T00:00:00Z" };
    this.add({ type: "Owner", name: "keyplane", id, inputs: { runs }, outputs: { ...STACK, stack, identity }, engine });
  }

  /** Adds a resource. */
  add(saved: Saved): this {
    this.#resources.push(wire(saved));
    return this;
  }

  /** Adds a resource of the plugin whose creation a killed engine has not finished. */
  addNote(name: string, inputs: Properties): this {
    this.#creating.push({ ...wire({ id: "", name, inputs }), urn: urnOf("ApiKey", name, "keyplane:index:") });
    return this;
  }

  /** The output of `pulumi stack export`. */
  get text(): string {
    const pending = this.#creating.map((resource) => ({ resource, type: "creating" }));
    return JSON.stringify({ version: 3, deployment: { resources: this.#resources, pending_operations: pending } });
  }

  /** What it says, if it has the owner in an identity. */
  witness(identity: string | undefined, { asOwn = false }: Look = {}): StackWitness | undefined {
    this.reads++;
    const witness = new StackWitness(readDeployment(this.text));
    return witness.knows(ownerIdIn(identity), { asOwn }) ? witness : undefined;
  }
}

const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";

/** The URN of a resource of the stack under test. */
export function urnOf(type: string, name: string, prefix = DYNAMIC): string {
  return `urn:pulumi:${STACK.stack}::${STACK.project}::${prefix}${type}::${name}`;
}

function wire({ id, type = "ApiKey", name = "ci", inputs = {}, outputs = {}, engine = {} }: Saved): Properties {
  return { urn: urnOf(type, name), type: `${DYNAMIC}${type}`, custom: true, id, inputs, outputs, ...engine };
}
