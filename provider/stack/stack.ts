import { messageOf } from "../errors";
import { getOrCreate } from "../get-or-create";
import type { Deployment } from "./deployment";
import type { Run } from "./history";
import { Pulumi, PulumiError } from "./pulumi";
import { type EngineCall, factsFor, readFacts, type StackFacts } from "./stack-facts";

type StackReader = Pick<Pulumi, "state" | "history" | "organizations">;

/** What the Pulumi CLI could not answer: why, as a sentence without its period. */
export interface Unread {
  readonly unread: string;
}

/** The state that proved to be the stack's, and the name that it has for the CLI; `undefined` for the selected stack. */
interface Found {
  readonly facts: StackFacts;
  readonly name: string | undefined;
}

/**
 * The stack that this process works for. Asks the Pulumi CLI about it only if somebody needs to know, and then once: what the
 * run does after that is known to the processes that do it.
 */
export class Stack {
  #name: string | undefined;
  #organization: string | undefined;
  readonly #urns = new Set<string>();
  readonly #shown = new Map<string, Set<string>>();
  #found: Promise<Found | Unread> | undefined;
  readonly #histories = new Map<string | undefined, Promise<readonly Run[] | Unread>>();

  /** @param pulumi - Who is asked. @default the Pulumi CLI */
  constructor(private readonly pulumi: StackReader = new Pulumi()) {}

  /** Remembers the name of the stack: `organization/project/stack`. A process works for one. */
  rememberName(name: string): void {
    this.#name = name;
  }

  /** Remembers the organization that a resource was last deployed in. The stack can have moved since. */
  rememberOrganization(organization: string): void {
    this.#organization = organization;
  }

  /** Remembers a resource that the engine has shown. `id` is absent for one that this run creates. */
  remember(urn: string, suffix: string, id?: string): void {
    this.#urns.add(urn);
    const ids = getOrCreate(this.#shown, suffix, () => new Set<string>());
    if (id !== undefined) ids.add(id);
  }

  /** Whether the engine has shown a resource with a URN. */
  hasShownUrn(urn: string): boolean {
    return this.#urns.has(urn);
  }

  /** Whether the engine has shown a resource with a suffix. */
  hasShownSuffix(suffix: string): boolean {
    return this.#shown.has(suffix);
  }

  /** The name for `--stack` in a command, as far as it is known. */
  nameFor(urn: string): string {
    return this.#name ?? namesIn(urn).stack;
  }

  /** What the state says, as it was saved when the first call asked. */
  async state(call: EngineCall): Promise<StackFacts | Unread> {
    this.#found ??= this.#find(call);
    const found = await this.#found;
    return "unread" in found ? found : found.facts;
  }

  /** The last 100 runs of the stack. */
  async history(call: EngineCall): Promise<readonly Run[] | Unread> {
    // A whole name is proof enough. A short one can be that of a stack in another organization.
    const isNamed = this.#name !== undefined;
    if (!isNamed) this.#found ??= this.#find(call);
    const found = (await this.#found) ?? { name: this.#name };
    if (!("unread" in found)) return this.#historyOf(found.name);
    return isNamed ? this.#historyOf(this.#name) : found;
  }

  async #find(call: EngineCall): Promise<Found | Unread> {
    const answers = new Map<string | undefined, Deployment>();
    try {
      for await (const name of this.#names(call)) {
        if (answers.has(name)) continue;
        try {
          answers.set(name, await this.pulumi.state(name));
        } catch (error) {
          const isNext = error instanceof PulumiError && ["no stack", "none selected"].includes(error.problem);
          if (!isNext) throw error;
        }
        const deployment = answers.get(name);
        const facts = deployment && factsFor(deployment, call, this.#shown);
        if (facts !== undefined && (!facts.isFromBefore || (await this.#isSaved(name)))) return { facts, name };
      }
      // Nothing of the stack was shown yet, as in its first creation, so only its whole name and its run can prove it.
      const [name, ...others] = [...answers.keys()].filter((each) => each?.split("/").length === 3);
      const deployment = name === undefined ? undefined : answers.get(name);
      const isFirst = [...this.#shown.values()].every((ids) => ids.size === 0);
      if (deployment !== undefined && others.length === 0 && isFirst && (await this.#isInProgress(name))) {
        return { facts: readFacts(deployment, { processes: [], isFromBefore: true }), name };
      }
      return { unread: "what `pulumi stack export` answers is not the state of this run" };
    } catch (error) {
      return { unread: `${messageOf(error)}. ${REMEDY}` };
    }
  }

  /** The names to ask for, the likeliest first. A short one is one of the user's default organization. */
  async *#names({ urn }: EngineCall): AsyncGenerator<string | undefined> {
    const { project, stack } = namesIn(urn);
    const whole = (organization: string) => `${organization}/${project}/${stack}`;
    if (this.#name !== undefined) yield this.#name;
    else {
      if (this.#organization !== undefined) yield whole(this.#organization);
      yield stack;
    }
    // The selected stack.
    yield undefined;
    if (this.#name === undefined)
      for (const organization of await this.pulumi.organizations().catch(() => [])) yield whole(organization);
  }

  /** Whether the backend saves each step of a run. */
  async #isSaved(name: string | undefined): Promise<boolean> {
    const { PULUMI_SKIP_CHECKPOINTS: value = "" } = process.env;
    // Services save it all the same.
    return ["", "0", "f", "false"].includes(value.toLowerCase()) || this.#isInProgress(name);
  }

  /** Whether the backend says that a run of the stack is in progress. Only services do. */
  async #isInProgress(name: string | undefined): Promise<boolean> {
    const runs = await this.#historyOf(name);
    return !("unread" in runs) && runs[0]?.isInProgress === true;
  }

  #historyOf(name: string | undefined): Promise<readonly Run[] | Unread> {
    return getOrCreate(this.#histories, name, async () => {
      try {
        return await this.pulumi.history(name);
      } catch (error) {
        return { unread: `${messageOf(error)}. ${REMEDY}` };
      }
    });
  }
}

const REMEDY = "Run that command to see why. If the Pulumi CLI was not found, set KEYPLANE_PULUMI to its path";

function namesIn(urn: string): { readonly stack: string; readonly project: string } {
  const [stack = "", project = ""] = urn.replace("urn:pulumi:", "").split("::");
  return { stack, project };
}
