import * as pulumi from "@pulumi/pulumi";
import { getOrCreate } from "../../../provider/get-or-create";
import { VERSION } from "../../../provider/version";
import { judgeConfig } from "./judge-config";
import "./hide-debug-values";
import { KeyRegistry } from "./key-registry";
import { programEnd } from "./program-end";
import { programError } from "./program-error";
import { isMocked } from "./pulumi-internals";
import { readScope, type ScopeArgs, scopeName } from "./scope";
import { hasUnseen, isRunComplete } from "./watch-registrations";

/** One run of a program, with the scopes in which it declares keys. */
export class ProgramRun {
  readonly #registries = new Map<string, KeyRegistry>();
  #ended = false;

  /** The current run. Inline programs of the Automation API can run several in one process. */
  static get current(): ProgramRun {
    const { runs } = shareRuns();
    const root = mustHaveRoot();
    return getOrCreate(runs, root, () => new ProgramRun(root));
  }

  private constructor(root: object) {
    // A unit test with mocks needs no ledger.
    if (pulumi.Resource.isInstance(root) && !isMocked()) programEnd(root, (end) => this.#finish(end));
    judgeConfig();
  }

  /** The registry of the scope in which a key is about to be declared. The first key declares owner and ledger. */
  registryFor(kind: string, name: string, args: ScopeArgs): KeyRegistry {
    const scope = readScope(kind, name, args);
    if (this.#ended) {
      throw programError(
        "KP-DECLARED-LATE",
        `${kind} ${JSON.stringify(name)} was declared after the program had ended. Declare keys before the program's ` +
          "last await. Otherwise keyplane would take the key for one that an interrupted run left behind",
      );
    }
    const firstKey = `${kind} ${JSON.stringify(name)}`;
    return getOrCreate(this.#registries, scopeName(scope), () => new KeyRegistry(scope, firstKey));
  }

  #finish({ isProven }: { readonly isProven: boolean }): Promise<unknown> {
    this.#ended = true;
    const reach = { incomplete: !(isProven && isRunComplete()), unseen: hasUnseen() };
    return Promise.all([...this.#registries.values()].map((registry) => registry.declareLedger(reach)));
  }
}

/** The object that identifies a run: its stack, or the mocks of a unit test. */
function mustHaveRoot(): object {
  const stack = pulumi.runtime.getStackResource();
  if (stack !== undefined) return stack;
  const monitor = pulumi.runtime.getMonitor();
  // Without a monitor, Pulumi itself reports that the CLI must run the program.
  if (monitor === undefined || isMocked()) return monitor ?? globalThis;
  throw programError(
    "KP-COMPONENT-PROVIDER",
    "keyplane's resources cannot be declared in a component that another program constructs (a component provider): " +
      "only the program that owns the stack can keep track of its keys. Declare the key in the program, and " +
      "pass its outputs to the component",
  );
}

/** The runs of this process, for all copies of this package: a stack must have one owner and one ledger. */
interface SharedRuns {
  /** Changes when copies from before and after the change could not work together. */
  readonly protocol: number;
  readonly version: string;
  readonly folder: string;
  readonly runs: WeakMap<object, ProgramRun>;
}

const PROTOCOL = 2;
const SHARED = Symbol.for("keyplane.program-runs");

function shareRuns(): SharedRuns {
  const shared = globalThis as { [SHARED]?: SharedRuns };
  shared[SHARED] ??= { protocol: PROTOCOL, version: VERSION, folder: __dirname, runs: new WeakMap() };
  const { protocol, version, folder } = shared[SHARED];
  if (protocol === PROTOCOL) return shared[SHARED];
  throw programError(
    "KP-TWO-VERSIONS",
    `this program loads keyplane ${version} (from ${folder}) and keyplane ${VERSION} (from ${__dirname}), which cannot ` +
      "work together in one stack. Install one version: `npm ls keyplane` shows which package requires the other",
  );
}
