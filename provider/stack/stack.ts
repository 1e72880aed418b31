import { messageOf } from "../errors";
import type { Run } from "./history";
import type { Pulumi } from "./pulumi";
import type { EngineStep, StackFacts } from "./state";

type StackReader = Pick<Pulumi, "state" | "history">;

/** The state that proved to be the stack's, and the name that it has for the CLI; `undefined` for the selected stack. */
interface Found {
  readonly facts: StackFacts;
  readonly name: string | undefined;
}

/**
 * The stack that this process works for. Asks the Pulumi CLI about it only if somebody needs to know, and then once; once
 * more for the changes of a run that also refreshes.
 */
export class Stack {
  #name: string | undefined;
  /** What was found for a refresh, which has weaker proofs, and for changes. */
  readonly #found: { refresh?: Promise<Found | undefined>; change?: Promise<Found | undefined> } = {};
  #runs: Promise<readonly Run[] | undefined> | undefined;

  /**
   * @param warn - Shows a warning at the resource with a URN.
   * @param ask - Who is asked. @default the Pulumi CLI
   */
  constructor(
    private readonly warn: (urn: string, text: string) => void,
    private readonly ask: () => StackReader | Promise<StackReader> = askPulumi,
  ) {}

  /** Remembers the name of the stack: `organization/project/stack`. A process works for one. */
  rememberName(name: string): void {
    this.#name = name;
  }

  /**
   * What the state says as it was saved when the first step asked; `undefined` if it cannot be read, or if it does
   * not prove to be this stack's. A warning says why.
   */
  async state(step: EngineStep): Promise<StackFacts | undefined> {
    return (await this.#find(step))?.facts;
  }

  /** The last 100 runs of the stack; `undefined` if they cannot be read. A warning says why. */
  async history(step: EngineStep): Promise<readonly Run[] | undefined> {
    this.#runs ??= this.#readHistory(step);
    return this.#runs;
  }

  #find(step: EngineStep): Promise<Found | undefined> {
    const phase = step.kind === "reading" ? "refresh" : "change";
    this.#found[phase] ??= this.#readState(step);
    return this.#found[phase];
  }

  async #readState(step: EngineStep): Promise<Found | undefined> {
    if (skipsCheckpoints()) return this.#lacks(step, "the state", "PULUMI_SKIP_CHECKPOINTS keeps it from being saved");
    const [{ factsFor }, { PulumiError }] = await Promise.all([import("./state.js"), import("./pulumi.js")]);
    try {
      const pulumi = await this.ask();
      // A short name is one of the user's default organization. The selected stack can be in another one.
      for (const name of [this.#name ?? shortName(step.urn), undefined]) {
        try {
          const facts = factsFor(await pulumi.state(name), step);
          if (facts !== undefined) return { facts, name };
        } catch (error) {
          const isNext = name !== undefined && error instanceof PulumiError && error.problem === "no stack";
          if (!isNext) throw error;
        }
      }
      return this.#lacks(step, "the state", "what `pulumi stack export` answers is not the state of this run");
    } catch (error) {
      return this.#lacks(step, "the state", `${messageOf(error)}. ${REMEDY}`);
    }
  }

  async #readHistory(step: EngineStep): Promise<readonly Run[] | undefined> {
    // A whole name is proof enough. A short one can be that of a stack in another organization.
    const found = this.#name === undefined ? await this.#find(step) : { name: this.#name };
    if (found === undefined) return undefined;
    try {
      return await (await this.ask()).history(found.name);
    } catch (error) {
      return this.#lacks(step, "the history", `${messageOf(error)}. ${REMEDY}`);
    }
  }

  #lacks({ urn }: EngineStep, what: string, why: string): undefined {
    this.warn(urn, `keyplane could not read ${what} of this stack: ${why}. Keys whose fate depends on it stay live`);
  }
}

const REMEDY = "Run that command to see why. If the Pulumi CLI was not found, set KEYPLANE_PULUMI to its path";

/** Loaded on demand, because most runs need not ask. */
async function askPulumi(): Promise<StackReader> {
  const cli = await import("./pulumi.js");
  return new cli.Pulumi();
}

/** Whether the engine saves the state only at the end of the run, so that no note proves anything. */
function skipsCheckpoints(): boolean {
  const { PULUMI_SKIP_CHECKPOINTS: value = "" } = process.env;
  return !["", "0", "f", "false"].includes(value.toLowerCase());
}

function shortName(urn: string): string {
  return urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";
}
