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

const process = (pid: number, address = ENGINE) => new RunKeys(address, folder, pid);

test("a process learns which keys the other processes of its run hold", () => {
  expect(process(1).ofOthers()).toEqual([]);
  const [two, three] = [process(2), process(3)];
  two.share("urn:a", ["100", "101"]);
  two.share("urn:b", ["102"]);
  three.share("urn:c", ["103"]);
  expect([...process(1).ofOthers()].sort()).toEqual(["100", "101", "102", "103"]);
});

test("the last keys of a resource count", () => {
  const two = process(2);
  two.share("urn:a", ["100"]);
  two.share("urn:a", ["101"]);
  expect(process(1).ofOthers()).toEqual(["101"]);
  two.share("urn:a", []);
  expect(process(1).ofOthers()).toEqual([]);
});

test("a process does not learn its own keys", () => {
  const one = process(1);
  one.share("urn:a", ["100"]);
  expect(one.ofOthers()).toEqual([]);
});

test("keys of another engine's run do not count", () => {
  process(2, "127.0.0.1:5000").share("urn:a", ["100"]);
  expect(process(1).ofOthers()).toEqual([]);
});

test("the files of earlier runs are removed after a day", () => {
  process(2, "127.0.0.1:5000").share("urn:a", ["100"]);
  const yesterday = Date.now() / 1_000 - 25 * 3_600;
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), yesterday, yesterday);
  process(3).share("urn:b", ["101"]);
  expect(readdirSync(folder)).toEqual(["4000-3"]);
});

test("a folder that cannot be written is an error that says what to do", () => {
  // A file in the place of a folder stops every user, also root.
  const file = join(folder, "..", "file");
  writeFileSync(file, "");
  const blocked = new RunKeys(ENGINE, join(file, "runs"));
  expect(() => blocked.share("urn:a", ["100"])).toThrow(/cannot be written: .* Set TMPDIR to a folder/);
  expect(blocked.ofOthers()).toEqual([]);
});
