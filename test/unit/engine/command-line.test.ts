import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compiledModule } from "../../../testing/package-root";

const run = (...args: string[]) =>
  spawnSync(process.execPath, [compiledModule("engine", "main.js"), ...args], { encoding: "utf8" });

test.each([["--help"], ["help"], ["-h"], ["up", "--help"]])(
  "%s prints the commands and does nothing else",
  (...args) => {
    const { status, stdout } = run(...args);
    expect([status, stdout]).toEqual([0, expect.stringContaining("Usage: keyplane-engine COMMAND")]);
  },
);

test("a command line without a command prints the commands and fails", () => {
  expect(run()).toMatchObject({ status: 255, stdout: expect.stringContaining("Usage:") });
});

test.each([["--version"], ["version"]])("%s prints the version of the package", (arg) => {
  expect(run(arg)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
