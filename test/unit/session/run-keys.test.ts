import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunKeys } from "../../../provider/session/run-keys";

const ENGINE = "127.0.0.1:4000";

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "keyplane-test-")), "runs");
});

afterEach(() => {
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

// Processes that run as long as this test.
const [ONE, TWO] = [process.pid, process.ppid];
const processOf = (pid: number, address = ENGINE) => new RunKeys(address, folder, pid);

test("a process learns which keys the other processes of its run hold", () => {
  expect(processOf(ONE).ofOthers()).toEqual([]);
  const other = processOf(TWO);
  other.share("urn:a", ["100", "101"]);
  other.share("urn:b", ["102"]);
  expect(processOf(ONE).ofOthers()).toEqual(["100", "101", "102"]);
});

test("the last keys of a resource count", () => {
  const two = processOf(TWO);
  two.share("urn:a", ["100"]);
  two.share("urn:a", ["101"]);
  expect(processOf(ONE).ofOthers()).toEqual(["101"]);
  two.share("urn:a", []);
  expect(processOf(ONE).ofOthers()).toEqual([]);
});

test("a process does not learn its own keys", () => {
  const one = processOf(ONE);
  one.share("urn:a", ["100"]);
  expect(one.ofOthers()).toEqual([]);
});

test("keys of another engine's run do not count", () => {
  processOf(TWO, "127.0.0.1:5000").share("urn:a", ["100"]);
  expect(processOf(ONE).ofOthers()).toEqual([]);
});

test("keys of a process that has ended do not count", async () => {
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  processOf(Number(ended.pid)).share("urn:a", ["100"]);
  expect(processOf(ONE).ofOthers()).toEqual([]);
});

test("the files of earlier runs are removed after a day", () => {
  processOf(TWO, "127.0.0.1:5000").share("urn:a", ["100"]);
  const yesterday = Date.now() / 1_000 - 25 * 3_600;
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), yesterday, yesterday);
  processOf(ONE).share("urn:b", ["101"]);
  expect(readdirSync(folder)).toEqual([`4000-${ONE}`]);
});

test("a folder that cannot be written is an error that says what to do", () => {
  // A file in the place of a folder stops every user, also root.
  const file = join(folder, "..", "file");
  writeFileSync(file, "");
  const blocked = new RunKeys(ENGINE, join(file, "runs"));
  expect(() => blocked.share("urn:a", ["100"])).toThrow(/cannot be written: .* Set TMPDIR to a folder/);
  expect(blocked.ofOthers()).toEqual([]);
});
