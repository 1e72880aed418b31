/** The gRPC resource monitor that `@pulumi/pulumi` calls from a running program. */
import type { handleUnaryCall, Server, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type {
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  ResourceInvokeRequest,
  SupportsFeatureRequest,
} from "@pulumi/pulumi/proto/resource_pb";
import { NotSupportedError } from "../refused";
import type { ResourceState } from "../state/checkpoint";
import type { Properties } from "../state/property";
import { providerTypeOf, STACK_TYPE, typeOf } from "../state/urn";
import type { Goal } from "./goal";
import { EMPTY_GOAL, Goals } from "./goals";
import { Mailbox } from "./mailbox";
import type { PulumiSdk } from "./pulumi-sdk";
import type { Source, SourceEvent, StackOutputs } from "./source";
import { forProgram, receiveMap } from "./wire";

/** The features that programs may ask for. Programs report a missing feature themselves. */
const FEATURES: ReadonlySet<string> = new Set([
  "secrets",
  "resourceReferences",
  "outputValues",
  "aliasSpecs",
  "deletedWith",
  "replaceWith",
  "replacementTrigger",
]);

/**
 * How long a failed run waits for stack outputs, as a fraction of the time that the program took to register its first
 * resource. This gives a busy machine enough time without a delay on an idle one.
 */
const SETTLE_PART = 1 / 3;
const SHORTEST_SETTLE_MS = 100;
const LONGEST_SETTLE_MS = 3000;

/** What a monitor needs from the run. */
export interface MonitorOptions {
  readonly sdk: PulumiSdk;
  /** The folder of `Pulumi.yaml`. */
  readonly projectRoot: string;
  /** Returns the configuration of a package's default provider, with secrets as envelopes. */
  readonly configOf: (packageName: string) => Properties;
}

/** Serves one program, as the source of a run. */
export class ResourceMonitor implements Source {
  private readonly mailbox = new Mailbox<SourceEvent>();
  private readonly goals: Goals;
  private readonly open = new Set<() => void>();
  private readonly shutdown: Promise<void>;
  private resolveShutdown = () => {};
  private settle = () => {};
  private readonly isSettled: Promise<void>;
  private outputs: StackOutputs | undefined;
  /** The references of the default providers, by package. */
  private readonly defaultProviders = new Map<string, Promise<string>>();
  private readonly started = performance.now();
  private firstAfterMs = 0;
  private finished = false;
  private closed = false;

  constructor(private readonly options: MonitorOptions) {
    this.goals = new Goals(options.projectRoot);
    this.shutdown = new Promise((resolve) => {
      this.resolveShutdown = resolve;
    });
    this.isSettled = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Adds the service to a server. */
  serve(server: Server): void {
    const { sdk } = this.options;
    const Empty = sdk.empty;
    const handlers = {
      supportsFeature: this.answer((request: SupportsFeatureRequest) => {
        const response = new sdk.resource.SupportsFeatureResponse();
        response.setHassupport(FEATURES.has(request.getId()));
        return response;
      }),
      registerResource: this.answer((request: RegisterResourceRequest) => this.register(request)),
      readResource: this.answer(() => refuse("a resource that is read by its id")),
      registerResourceOutputs: this.answer(async (request: RegisterResourceOutputsRequest) => {
        await this.registerOutputs(request);
        return new Empty();
      }),
      invoke: this.answer((request: ResourceInvokeRequest) => refuse(`the function ${request.getTok()}`)),
      signalAndWaitForShutdown: this.answer(async () => {
        this.finish();
        await this.shutdown;
        return new Empty();
      }),
      call: this.answer(() => refuse("calling a method of a resource")),
      registerPackage: this.answer(() => refuse("a parameterized package")),
      registerStackTransform: this.answer(() => refuse("a stack transform (pulumi.runtime.registerResourceTransform)")),
      registerStackInvokeTransform: this.answer(() => refuse("an invoke transform")),
      registerResourceHook: this.answer(() => refuse("a resource hook")),
    };
    server.addService(sdk.resourceGrpc.ResourceMonitorService as never, handlers as never);
  }

  next(): Promise<SourceEvent | undefined> {
    return this.mailbox.next();
  }

  stackOutputs(): StackOutputs | undefined {
    return this.outputs;
  }

  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(
        resolve,
        Math.min(Math.max(this.firstAfterMs * SETTLE_PART, SHORTEST_SETTLE_MS), LONGEST_SETTLE_MS),
      );
    });
    await Promise.race([this.isSettled, late]);
    clearTimeout(timer);
  }

  cancel(): void {
    this.mailbox.close();
  }

  /** Called when the program ends, or reports that it will register nothing more. */
  finish(error?: Error): void {
    this.settle();
    if (this.finished) return;
    this.finished = true;
    this.mailbox.send({ kind: "finished", ...(error && { error }) });
  }

  /** Called when the run is over. Lets a waiting program end, and responds to no more calls. */
  close(): void {
    this.closed = true;
    this.mailbox.close();
    this.resolveShutdown();
    for (const fail of this.open) fail();
  }

  private async register(request: RegisterResourceRequest) {
    const { sdk } = this.options;
    this.firstAfterMs ||= performance.now() - this.started;
    const goal = await this.goals.of(request, (name) => this.provider(name));
    const state = await new Promise<ResourceState>((done) => {
      this.mailbox.send({ kind: "register", registration: { goal, done } });
    });
    this.goals.registered(state.urn, goal);
    const response = new sdk.resource.RegisterResourceResponse();
    response.setUrn(state.urn).setId(state.id ?? "");
    // A component's outputs of an earlier run may refer to resources that do not exist yet.
    const outputs = goal.custom ? (state.outputs ?? {}) : {};
    response.setObject(sdk.struct.fromJavaScript(forProgram(outputs)));
    return response;
  }

  private async registerOutputs(request: RegisterResourceOutputsRequest): Promise<void> {
    const urn = request.getUrn();
    const outputs = receiveMap((request.getOutputs()?.toJavaScript() ?? {}) as Properties);
    if (typeOf(urn) === STACK_TYPE) {
      // Recorded at the end, when the result of the run is known.
      this.outputs = { urn, outputs };
      this.settle();
      return;
    }
    await new Promise<void>((done) => this.mailbox.send({ kind: "outputs", urn, outputs, done }));
  }

  /** Returns the reference of a default provider. Registers it when the first resource needs it. */
  private provider(packageName: string): Promise<string> {
    const known = this.defaultProviders.get(packageName);
    if (known) return known;
    const registered = new Promise<string>((resolve) => {
      const done = ({ urn, id }: ResourceState) => resolve(`${urn}::${id}`);
      const goal: Goal = {
        ...EMPTY_GOAL,
        type: providerTypeOf(packageName),
        name: "default",
        custom: true,
        properties: this.options.configOf(packageName),
      };
      this.mailbox.send({ kind: "register", registration: { goal, done } });
    });
    this.defaultProviders.set(packageName, registered);
    return registered;
  }

  /** Creates a handler that fails the call if the run ends before the response. */
  private answer<Request, Response>(
    handle: (request: Request) => Response | Promise<Response>,
  ): handleUnaryCall<Request, Response> {
    const { status } = this.options.sdk.grpc;
    return ({ request }: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
      const unavailable = () => callback({ code: status.UNAVAILABLE, details: "resource monitor shut down" });
      if (this.closed) return unavailable();
      let answered = false;
      const once = (reply: () => void) => {
        if (answered) return;
        answered = true;
        this.open.delete(fail);
        reply();
      };
      const fail = () => once(unavailable);
      this.open.add(fail);
      Promise.resolve()
        .then(() => handle(request))
        .then(
          (response) => once(() => callback(null, response)),
          (error: Error) => once(() => callback({ code: status.UNKNOWN, details: error.message })),
        );
    };
  }
}

function refuse(what: string): never {
  throw new NotSupportedError(what);
}
