import { EventEmitter } from "node:events";
import * as pulumi from "@pulumi/pulumi";
import { vi } from "vitest";
import { type Finish, type ProgramProcess, programEnd } from "../../../sdk/nodejs/run/program-end";

interface Options {
  /** Resolves when the engine has answered the ledger. */
  readonly answered?: Promise<unknown>;
  /** Adds older listeners. */
  readonly before?: (program: ProcessOfProgram) => void;
}

/** The process of a program whose stack has the given outputs. It ends when a test says so. */
export class ProcessOfProgram extends EventEmitter {
  exitCode: number | undefined;
  /** What `finish` was told, in order. */
  readonly finished: boolean[] = [];
  /** What the user of the run was told: errors of the engine, and lines of the process. */
  readonly said: string[] = [];
  readonly stderr = { write: (text: string) => this.said.push(text) };

  constructor(outputs: unknown, { answered = Promise.resolve(), before = () => {} }: Options = {}) {
    super();
    before(this);
    vi.spyOn(pulumi.log, "error").mockImplementation(async (message) => {
      this.said.push(message);
    });
    const stack = { outputs } as unknown as pulumi.Resource;
    const finish: Finish = ({ isProven }) => {
      this.finished.push(isProven);
      return answered;
    };
    programEnd(stack, finish, this as unknown as ProgramProcess);
  }

  /** The event loop is empty. */
  async idle(): Promise<void> {
    this.emit("beforeExit", this.exitCode ?? 0);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }

  /** Ends the process, by `process.exit` if a code is given. Returns its exit code. */
  exit(code = this.exitCode): number {
    this.exitCode = code;
    this.emit("exit", code ?? 0);
    return this.exitCode ?? 0;
  }
}
