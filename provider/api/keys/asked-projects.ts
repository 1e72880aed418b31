import { type ErrorFacts, OtherKeyError } from "../../errors";
import { keyIn } from "../../key-index";
import type { ApiKeyRecord, CreatedKey } from "../records";
import type { KeyEndpoint } from "./key-endpoint";
import { compareProject, otherProject, type SaidProject } from "./project-of-key";

/** Compares the projects of the keys that this process creates with those that it asked for. */
export class AskedProjects {
  /** The projects that were asked for, by the key's id, until a list has confirmed them. */
  readonly #asked = new Map<string, string | undefined>();
  #isUnsaidReported = false;

  constructor(
    private readonly routes: KeyEndpoint["routes"],
    private readonly warn: (message: string) => void,
  ) {}

  /**
   * Throws an `OtherKeyError` if a new key has another project scope than requested. Warns if nothing says it.
   * @param listed - What a list says of the key's project, for an answer that does not say it.
   */
  async mustBeAsAsked(
    { id, projectId }: CreatedKey,
    asked: string | undefined,
    facts: ErrorFacts,
    listed: () => Promise<SaidProject>,
  ): Promise<void> {
    const said = compareProject(asked, projectId) === "unsaid" ? await listed() : projectId;
    const other = otherProject(asked, said);
    if (other !== undefined) {
      const message = `${facts.route} created key ${id}, which ${other} [request ${facts.requestId}]`;
      throw new OtherKeyError(message, facts, id);
    }
    this.#asked.set(id, asked);
    if (compareProject(asked, said) === "same" || this.#isUnsaidReported) return;
    // A service that says it of no key would say so for each of thousands.
    this.#isUnsaidReported = true;
    this.warn(
      `${facts.route} created key ${id} for projectId ${asked}, but neither its answer nor the list of keys says whether ` +
        "the key is limited to that project. Check in the service's console what this key, and the others of this run, can access",
    );
  }

  /** Reports keys whose creation was answered as requested, and that a list shows with another project scope. */
  compare(keys: readonly ApiKeyRecord[]): void {
    for (const [id, asked] of this.#asked) {
      const found = keyIn(keys, id);
      if (found === undefined) continue;
      this.#asked.delete(id);
      const other = otherProject(asked, found.projectId);
      if (other === undefined) continue;
      this.warn(
        `${this.routes.list} shows that key ${id}, which was just created, ${other}. Run \`pulumi up --refresh\`, which ` +
          "replaces it",
      );
    }
  }
}
