import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Values } from "./recording-engine";

/** Answers questions about the stack from files beside it. */
const SCRIPT = `
const { appendFileSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const words = process.argv.slice(2);
appendFileSync(join(__dirname, "questions"), words.join(" ") + "\\n");
process.stdout.write(readFileSync(join(__dirname, words[1] + ".json")));
`;

/** A resource in the state, as the engine writes it. */
export interface SavedResource {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  /** Fields of the engine, such as `delete` and `modified`. */
  readonly engine?: Values;
}

/** A stand-in for the Pulumi CLI of one stack, without a history. Without a saved state it answers with an error. */
export class PulumiCli {
  readonly #folder = mkdtempSync(join(tmpdir(), "keyplane-pulumi-"));
  readonly file = join(this.#folder, "pulumi.js");

  constructor() {
    writeFileSync(this.file, SCRIPT);
    this.#write("history", []);
  }

  /** Saves the state, with creations that a killed engine has not finished. */
  save(resources: readonly SavedResource[], creating: readonly SavedResource[] = []): void {
    const pending = creating.map((each) => ({ resource: wire(each), type: "creating" }));
    this.#write("export", { version: 3, deployment: { resources: resources.map(wire), pending_operations: pending } });
  }

  /** The questions so far, by their first two words. */
  get questions(): string[] {
    const file = join(this.#folder, "questions");
    if (!existsSync(file)) return [];
    return readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((words) => words.split(" ").slice(0, 2).join(" "));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(question: string, answer: unknown): void {
    writeFileSync(join(this.#folder, `${question}.json`), JSON.stringify(answer));
  }
}

function wire({ engine, ...resource }: SavedResource): Values {
  return { custom: true, ...resource, ...engine };
}
