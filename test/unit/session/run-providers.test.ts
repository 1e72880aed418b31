import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunProviders } from "../../../provider/session/run-providers";

const urnOf = (name: string) => `urn:pulumi:dev::proj::pulumi:providers:keyplane::${name}`;
const FORMER = urnOf("default_0_2_0");
const CURRENT = urnOf("default_0_3_0");
const ENGINE = "127.0.0.1:4000";

let folder: string;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "keyplane-test-")), "runs");
});

afterEach(() => {
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

const process = (address = ENGINE) => new RunProviders(address, folder);

test("a process of a former default provider finds the one that the program uses", () => {
  expect(process().hasOther(FORMER)).toBe(false);
  process().add(CURRENT);
  expect(process().hasOther(FORMER)).toBe(true);
});

test("another process of the same provider resource is not another provider", () => {
  process().add(CURRENT);
  expect(process().hasOther(CURRENT)).toBe(false);
});

test("explicit providers do not count", () => {
  process().add(urnOf("eu"));
  process().add(CURRENT);
  expect(process().hasOther(CURRENT)).toBe(false);
  expect(process().hasOther(urnOf("us"))).toBe(false);
});

test("a run of another engine does not count", () => {
  process("127.0.0.1:5000").add(CURRENT);
  expect(process().hasOther(FORMER)).toBe(false);
});

test("the files of earlier runs are removed after a day", () => {
  process("127.0.0.1:5000").add(FORMER);
  const yesterday = Date.now() / 1_000 - 25 * 3_600;
  for (const file of readdirSync(folder)) utimesSync(join(folder, file), yesterday, yesterday);
  process().add(CURRENT);
  expect(readdirSync(folder)).toEqual(["4000-default_0_3_0"]);
});

test("without a folder that can be written, another provider is expected", () => {
  // A file in the place of a folder stops every user, also root.
  const file = join(folder, "..", "file");
  writeFileSync(file, "");
  const blocked = new RunProviders(ENGINE, join(file, "runs"));
  blocked.add(CURRENT);
  expect(blocked.hasOther(FORMER)).toBe(true);
});
