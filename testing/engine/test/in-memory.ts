/** Runs the engine's rules in memory, with a program of registrations, a recording provider and no processes. */

import type { Goal } from "../program/goal";
import { EMPTY_GOAL } from "../program/goals";
import { Mailbox } from "../program/mailbox";
import type { Source, SourceEvent } from "../program/source";
import type { DiffAnswer, DiffRequest, Live, Provider, ReadAnswer } from "../provider/provider";
import { ProviderRegistry } from "../provider/provider-registry";
import { type Base, Deployment, type DeploymentOptions } from "../run/deployment";
import { Diagnostics } from "../run/diagnostics";
import type { EngineEventBody } from "../run/events";
import { Run } from "../run/run";
import { StepReporter } from "../run/step-reporter";
import type { PendingOperation, ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { Resource } from "../state/resource";
import { Snapshot } from "../state/snapshot";
import { equalValues } from "../state/values";

const NAME = { stack: "dev", project: "proj" };
const PROVIDER_URN = "urn:pulumi:dev::proj::pulumi:providers:pulumi-nodejs::default";

/** The provider of all resources in these tests. */
export const PROVIDER = `${PROVIDER_URN}::p-1`;

/** The URN of a resource in these tests. */
export function urnOf(name: string, parentType = ""): string {
  return `urn:pulumi:dev::proj::${parentType && `${parentType}$`}pulumi-nodejs:dynamic/t:T::${name}`;
}

/** Records its calls. The inputs define its answers. */
export class Remembering implements Provider {
  readonly calls: string[] = [];
  /** The names of the resources that `read` reports as gone. */
  readonly gone = new Set<string>();
  /** The promises for which calls wait, by `METHOD NAME`. */
  readonly waits = new Map<string, Promise<void>>();
  private created = 0;

  async check(urn: string, _olds: Properties, news: Properties, keepUnknowns: boolean) {
    this.calls.push(`check ${name(urn)}`);
    const failures = news.failCheck ? [{ property: "v", reason: "is wrong" }] : [];
    const known = keepUnknowns ? news : Object.fromEntries(Object.entries(news).filter(([, v]) => v !== UNKNOWN_TEXT));
    return { inputs: known, failures };
  }

  async diff({ urn, oldOutputs, newInputs }: DiffRequest): Promise<DiffAnswer> {
    this.calls.push(`diff ${name(urn)}`);
    const changed = !equalValues(oldOutputs.v, newInputs.v);
    return {
      ...(newInputs.undecided !== true && { changes: changed }),
      replaceKeys: changed && newInputs.replaceOnV ? ["v"] : [],
      deleteBeforeReplace: newInputs.dbr === true,
    };
  }

  async create(urn: string, inputs: Properties, preview: boolean): Promise<Live> {
    if (preview) return { id: "", outputs: inputs };
    await this.asked("create", urn, inputs);
    this.created++;
    const live = {
      id: `${name(urn)}-${this.created}`,
      outputs: { ...inputs, out: `${name(urn)}:${String(inputs.v)}` },
    };
    return inputs.initFail ? { ...live, initErrors: ["not ready"] } : live;
  }

  async update({ urn, id, newInputs }: DiffRequest, preview: boolean): Promise<Live> {
    if (!preview) await this.asked("update", urn, newInputs);
    return { id, outputs: { ...newInputs, out: `${name(urn)}:${String(newInputs.v)}` } };
  }

  async read(urn: string, id: string, _inputs: Properties, outputs: Properties): Promise<ReadAnswer> {
    await this.asked("read", urn, outputs);
    return { id: this.gone.has(name(urn)) ? "" : id, outputs };
  }

  async delete(urn: string, id: string, _inputs: Properties, outputs: Properties): Promise<void> {
    await this.asked("delete", urn, outputs, id);
  }

  private async asked(method: string, urn: string, values: Properties, id = ""): Promise<void> {
    this.calls.push([method, name(urn), id].filter((word) => word !== "").join(" "));
    await this.waits.get(`${method} ${name(urn)}`);
    if (values.fail === method) throw new Error(`${name(urn)} cannot ${method}`);
  }
}

/** The options of a run. */
export interface RunGiven {
  readonly provider?: Remembering;
  readonly state?: readonly ResourceState[];
  readonly pending?: readonly PendingOperation[];
  readonly options?: Partial<DeploymentOptions>;
  readonly program?: Program;
  /** Called with the run before it starts. */
  readonly watch?: (run: Run) => void;
}

/** A program of registrations. */
export type Program = (register: Register) => Promise<void>;

/** Registers a resource, as a program does. */
export type Register = (name: string, inputs?: Properties, options?: Partial<Goal>) => Promise<ResourceState>;

/** The result of a run. */
export interface RunSeen {
  readonly result: string;
  readonly calls: readonly string[];
  /** `OPERATION NAME`, with ` failed` if the step failed. */
  readonly steps: readonly string[];
  readonly errors: readonly string[];
  readonly state: readonly ResourceState[];
  /** The pending operations at each write, as `TYPE NAME`. */
  readonly writes: readonly (readonly string[])[];
}

/** Executes one run. */
export async function run(given: RunGiven): Promise<RunSeen> {
  const provider = given.provider ?? new Remembering();
  const events: EngineEventBody[] = [];
  const writes: string[][] = [];
  const base: Base = {
    resources: (given.state ?? []).map((state) => new Resource(state)),
    pendingOperations: given.pending ?? [],
  };
  const emit = (event: EngineEventBody) => void events.push(event);
  const diagnostics = new Diagnostics(emit, []);
  const registry = new ProviderRegistry(() => ({
    checkConfig: async (_urn, _olds, inputs) => ({ inputs, failures: [] }),
    configure: () => provider,
  }));
  registry.same(PROVIDER_URN, "p-1", {});
  const options = { ...DEFAULTS, ...given.options };
  const deployment = new Deployment(NAME, options, base, registry, diagnostics);
  const snapshot: Snapshot = new Snapshot(
    base,
    async () => {
      const { pending_operations = [] } = snapshot.current();
      writes.push(pending_operations.map(({ type, resource }) => `${type} ${name(resource.urn)}`));
    },
    // The provider of these tests is not a resource in the state.
    () => undefined,
  );
  const reporter = new StepReporter(deployment, emit, (text) => text, options.preview ? undefined : snapshot);
  const source = new FakeSource(given.program ?? (async () => undefined));
  const subject = new Run(deployment, reporter, source);
  given.watch?.(subject);
  const result = await subject.execute();
  await snapshot.close();
  return {
    result,
    calls: provider.calls,
    steps: events.flatMap(({ resOutputsEvent: done, resOpFailedEvent: failed }) => {
      const metadata = (done ?? failed)?.metadata;
      return metadata ? [`${metadata.op} ${name(metadata.urn)}${failed ? " failed" : ""}`] : [];
    }),
    errors: events.flatMap(({ diagnosticEvent: said }) => (said?.severity === "error" ? [said.message] : [])),
    state: snapshot.current().resources ?? [],
    writes,
  };
}

/** A resource of the state in words: `NAME id`, with its special properties. */
export function inWords(state: readonly ResourceState[]): string[] {
  return state.map((resource) => {
    const marks = ["delete", "pendingReplacement"] as const;
    return [name(resource.urn), resource.id ?? "", ...marks.filter((mark) => resource[mark])].join(" ");
  });
}

const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const DEFAULTS: DeploymentOptions = {
  preview: false,
  parallel: 4,
  refresh: false,
  refreshOnly: false,
};

class FakeSource implements Source {
  private readonly mailbox = new Mailbox<SourceEvent>();

  constructor(program: Program) {
    const register: Register = (name, inputs = {}, options = {}) =>
      new Promise((done) => {
        const goal = {
          ...EMPTY_GOAL,
          type: "pulumi-nodejs:dynamic/t:T",
          name,
          custom: true,
          properties: inputs,
        };
        const provider = (options.custom ?? true) ? PROVIDER : "";
        this.mailbox.send({ kind: "register", registration: { goal: { ...goal, provider, ...options }, done } });
      });
    program(register).then(
      () => this.mailbox.send({ kind: "finished" }),
      (error: Error) => this.mailbox.send({ kind: "finished", error }),
    );
  }

  next = () => this.mailbox.next();
  stackOutputs = () => undefined;
  settled = async () => undefined;
  cancel = () => this.mailbox.close();
}

function name(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}
