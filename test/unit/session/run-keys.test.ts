import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunKeys } from "../../../provider/session/run-keys";

const ENGINE = "127.0.0.1:4000";
const SERVICE = "https://service.example.com";

const holding = (resource: string, keys: readonly string[]) => ({ service: SERVICE, resource, keys });

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
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
  const other = processOf(TWO);
  other.share("urn:a", holding("a", ["100", "101"]));
  other.share("urn:b", holding("b", ["102"]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual(["100", "101", "102"]);
});

test("the last keys of a resource count", () => {
  const two = processOf(TWO);
  two.share("urn:a", holding("a", ["100"]));
  two.share("urn:a", holding("a", ["101"]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual(["101"]);
  two.share("urn:a", holding("a", []));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
});

test("a process does not learn its own keys", () => {
  const one = processOf(ONE);
  one.share("urn:a", holding("a", ["100"]));
  expect(one.ofOthers(SERVICE, "none")).toEqual([]);
});

test("the keys of the deleted resource do not count, and neither do keys of another service", () => {
  const other = processOf(TWO);
  other.share("urn:a", holding("a", ["100"]));
  other.share("urn:b", holding("b", ["101"]));
  expect(processOf(ONE).ofOthers(SERVICE, "a")).toEqual(["101"]);
  expect(processOf(ONE).ofOthers("https://other.example.com", "none")).toEqual([]);
});

test("a folder that others can write to is not trusted", () => {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, `4000-${TWO}`), JSON.stringify([holding("a", ["100"])]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
  expect(() => processOf(ONE).share("urn:a", holding("a", ["100"]))).toThrow(/others can write to it. Set TMPDIR/);
});

test("a file that cannot be read says nothing", () => {
  mkdirSync(folder);
  writeFileSync(join(folder, `4000-${TWO}`), "[");
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
});

test("keys of another engine's run do not count", () => {
  processOf(TWO, "127.0.0.1:5000").share("urn:a", holding("a", ["100"]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
});

test("keys of a process that has ended do not count", async () => {
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  processOf(Number(ended.pid)).share("urn:a", holding("a", ["100"]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual([]);
});

test("the files of earlier runs are removed after a day", () => {
  processOf(TWO, "127.0.0.1:5000").share("urn:a", holding("a", ["100"]));
  const yesterday = Date.now() / 1_000 - 25 * 3_600;
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), yesterday, yesterday);
  processOf(ONE).share("urn:b", holding("b", ["101"]));
  expect(readdirSync(folder)).toEqual([`4000-${ONE}`]);
});

test("a folder that cannot be written is an error that says what to do", () => {
  // A file in the place of a folder stops every user, also root.
  const file = join(folder, "..", "file");
  writeFileSync(file, "");
  const blocked = new RunKeys(ENGINE, join(file, "runs"));
  expect(() => blocked.share("urn:a", holding("a", ["100"]))).toThrow(/cannot be used: .* Set TMPDIR to a folder/);
  expect(blocked.ofOthers(SERVICE, "none")).toEqual([]);
});
