import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunKeys } from "../../../provider/session/run-keys";

const ENGINE = "127.0.0.1:4000";
const SERVICE = "https://service.example.com";

const holding = (resource: string, keys: readonly string[], retiring: readonly string[] = []) => ({
  service: SERVICE,
  resource,
  keys,
  retiring,
});

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
const keysOfOthers = (deleted = "none", service = SERVICE) => processOf(ONE).ofOthers(service, deleted).keys;

test("a process learns which keys the other processes of its run hold", () => {
  expect(keysOfOthers()).toEqual([]);
  const other = processOf(TWO);
  other.share("urn:a", holding("a", ["100", "101"]));
  other.share("urn:b", holding("b", ["102"]));
  expect(keysOfOthers()).toEqual(["100", "101", "102"]);
});

test("a process learns which keys the other processes of its run have retired", () => {
  processOf(TWO).share("urn:a", holding("a", ["101"], ["100"]));
  expect(processOf(ONE).ofOthers(SERVICE, "none")).toEqual({ keys: ["101"], retiring: ["100"] });
});

test("a process does not count what an ended one with its id has shared", () => {
  processOf(TWO).share("urn:a", holding("a", ["100"]));
  processOf(TWO).share("urn:b", holding("b", ["101"]));
  expect(keysOfOthers()).toEqual(["101"]);
});

test("a line that another process is still writing does not hide the others", () => {
  processOf(TWO).share("urn:a", holding("a", ["100"]));
  appendFileSync(join(folder, `4000-${TWO}`), '["urn:b",{"servi');
  expect(keysOfOthers()).toEqual(["100"]);
});

test("the last keys of a resource count", () => {
  const two = processOf(TWO);
  two.share("urn:a", holding("a", ["100"]));
  two.share("urn:a", holding("a", ["101"]));
  expect(keysOfOthers()).toEqual(["101"]);
  two.share("urn:a", holding("a", []));
  expect(keysOfOthers()).toEqual([]);
});

test("a process does not learn its own keys", () => {
  const one = processOf(ONE);
  one.share("urn:a", holding("a", ["100"]));
  expect(one.ofOthers(SERVICE, "none").keys).toEqual([]);
});

test("the keys of the deleted resource do not count, and neither do keys of another service", () => {
  const other = processOf(TWO);
  other.share("urn:a", holding("a", ["100"]));
  other.share("urn:b", holding("b", ["101"]));
  expect(keysOfOthers("a")).toEqual(["101"]);
  expect(keysOfOthers("none", "https://other.example.com")).toEqual([]);
});

test("a folder that others can write to is not trusted", () => {
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, `4000-${TWO}`), JSON.stringify([holding("a", ["100"])]));
  expect(keysOfOthers()).toEqual([]);
  expect(() => processOf(ONE).share("urn:a", holding("a", ["100"]))).toThrow(/others can write to it. Set TMPDIR/);
});

test("a file that cannot be read says nothing", () => {
  mkdirSync(folder);
  writeFileSync(join(folder, `4000-${TWO}`), "[");
  expect(keysOfOthers()).toEqual([]);
});

test("a line of another version of the plugin says nothing", () => {
  processOf(TWO).share("urn:a", holding("a", ["100"]));
  const others = [[holding("b", ["101"])], ["urn:b", { keys: ["102"] }], ["urn:b"], 1, null];
  for (const line of others) appendFileSync(join(folder, `4000-${TWO}`), `${JSON.stringify(line)}\n`);
  expect(keysOfOthers()).toEqual(["100"]);
});

test("keys of another engine's run do not count", () => {
  processOf(TWO, "127.0.0.1:5000").share("urn:a", holding("a", ["100"]));
  expect(keysOfOthers()).toEqual([]);
});

test("keys of a process that has ended do not count", async () => {
  const ended = spawn(process.execPath, ["-e", ""]);
  await once(ended, "exit");
  processOf(Number(ended.pid)).share("urn:a", holding("a", ["100"]));
  expect(keysOfOthers()).toEqual([]);
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
  expect(blocked.ofOthers(SERVICE, "none").keys).toEqual([]);
});
