import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProcessOfProgram } from "./program-process";

const { getStore } = require("@pulumi/pulumi/runtime/state") as {
  getStore(): { readonly settings: { rpcDone: Promise<unknown> | undefined; readonly options: { dryRun: boolean } } };
};

const never = new Promise<never>(() => {});
const done = pulumi.output({ keyId: "17" });
const waiting = pulumi.output(never);

const { settings } = getStore();
let before: Promise<unknown> | undefined;

beforeEach(() => {
  before = settings.rpcDone;
});

afterEach(() => {
  settings.rpcDone = before;
  settings.options.dryRun = false;
  vi.restoreAllMocks();
});

describe("a program with its own process", () => {
  test("is complete if its outputs are known and every call has ended when nothing happens any more", async () => {
    const program = new ProcessOfProgram(done);
    expect(program.finished).toEqual([]);
    await program.idle();
    await program.idle();
    expect(program.finished).toEqual([true]);
    expect([program.exit(), program.said]).toEqual([0, []]);
  });

  test.each([
    ["await", waiting, Promise.resolve()],
    ["call to the engine", done, never],
  ])("fails and has no ledger if its last %s never ends", async (_, outputs, rpcDone) => {
    settings.rpcDone = rpcDone;
    const program = new ProcessOfProgram(outputs);
    await program.idle();
    await program.idle();
    expect(program.finished).toEqual([]);
    expect(program.said).toEqual([expect.stringMatching(/^this program waits forever.*\[KP-PROGRAM-STUCK\]$/)]);
    expect(program.exit()).toBe(32);
  });

  test("fails before Pulumi tells the engine that it is done, which is when nothing happens for the second time", async () => {
    const program = new ProcessOfProgram(waiting);
    program.emit("beforeExit", 0);
    await new Promise(setImmediate);
    await Promise.resolve();
    expect(program.exitCode).toBe(32);
  });

  test("is complete once the resources that its last listeners register have their answers", async () => {
    let answer = (_: unknown) => {};
    const register = () => {
      settings.rpcDone = new Promise((resolve) => {
        answer = resolve;
      });
    };
    const program = new ProcessOfProgram(done, { before: (it) => it.once("beforeExit", register) });
    await program.idle();
    expect([program.exitCode, program.finished, program.said]).toEqual([undefined, [], []]);
    answer(undefined);
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([0, [true], []]);
  });

  test("fails without a second message if it waits forever after an error", async () => {
    const program = new ProcessOfProgram(waiting);
    vi.spyOn(pulumi.log, "hasErrors").mockReturnValue(true);
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([32, [], []]);
  });

  test("is never complete if it failed", async () => {
    const program = new ProcessOfProgram({ promise: () => Promise.reject(new Error("the program is broken")) });
    vi.spyOn(pulumi.log, "hasErrors").mockReturnValue(true);
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([0, [false], []]);
  });

  test("has no ledger if it set an exit code", async () => {
    const program = new ProcessOfProgram(done);
    program.exitCode = 3;
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([3, [], []]);
  });

  test("may wait for an unknown value in a preview, whose ledger changes nothing", async () => {
    settings.options.dryRun = true;
    const program = new ProcessOfProgram(waiting, { answered: never });
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([0, [false], []]);
  });

  test.each([
    ["does not have the outputs of the stack", undefined, Promise.resolve()],
    ["does not show whether calls have ended", done, undefined],
  ])("is never complete if Pulumi's SDK %s", async (_, outputs, rpcDone) => {
    settings.rpcDone = rpcDone;
    const program = new ProcessOfProgram(outputs);
    await program.idle();
    expect([program.exit(), program.finished, program.said]).toEqual([0, [false], []]);
  });
});

describe("a program that calls process.exit", () => {
  const EXITED = [expect.stringMatching(/^keyplane: this program called process\.exit .*\[KP-PROGRAM-EXITED\]\n$/)];

  test.each([0, undefined])("with code %s before its end fails", (code) => {
    const program = new ProcessOfProgram(done);
    expect([program.exit(code), program.said]).toEqual([1, EXITED]);
  });

  test("while the ledger runs fails", async () => {
    const program = new ProcessOfProgram(done, { answered: never });
    await program.idle();
    expect([program.finished, program.exit(0), program.said]).toEqual([[true], 1, EXITED]);
  });

  test("before its end gets one message, because Pulumi reports unresolved promises only with code 0", () => {
    const codes: unknown[] = [];
    const program = new ProcessOfProgram(done, { before: (it) => it.on("exit", () => codes.push(it.exitCode)) });
    program.exit(0);
    expect(codes).toEqual([1]);
  });

  test.each([1, 3, 32])("with code %s keeps its code and gets no message", (code) => {
    const program = new ProcessOfProgram(done);
    expect([program.exit(code), program.said]).toEqual([code, []]);
  });

  test("after an error gets no second message", () => {
    const program = new ProcessOfProgram(done);
    vi.spyOn(pulumi.log, "hasErrors").mockReturnValue(true);
    expect([program.exit(0), program.said]).toEqual([0, []]);
  });

  test("after the ledger has its answer is complete", async () => {
    const program = new ProcessOfProgram(done);
    await program.idle();
    expect([program.exit(0), program.finished, program.said]).toEqual([0, [true], []]);
  });
});
