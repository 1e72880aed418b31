import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pluginFolder } from "../plugin-folder";
import { CrashHarness } from "./harness";
import { matrix, reduced } from "./matrix";
import type { FrontEnd } from "./plan";
import { runCase } from "./run-case";

/** How many runs of each matrix the tests execute: as few as have every moment and every scenario. */
export const REDUCED = 20;

const engine = engineOf(process.env);

/** How many of them `npm test` executes. The others belong to `npm run test:all`. */
const QUICK: Readonly<Record<FrontEnd, number>> = { dynamic: 4, plugin: 3 };

/** Defines a test for each run of one part of the reduced matrix. The longer part has two halves for two workers. */
export function testPart(frontEnd: FrontEnd, part: "quick" | "first half" | "second half"): void {
  describe("after a crash and one more command, no key is leaked, lost or wrongly revoked", () => {
    let folder = "";
    let harness: CrashHarness | undefined;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "keyplane-crash-"));
      if (frontEnd === "plugin") pluginFolder();
      harness = await CrashHarness.open(folder, engine, frontEnd);
    });
    afterAll(async () => {
      await harness?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const cases = reduced(matrix({ frontEnd, engineMoments: engine === "embedded" }), REDUCED);
    const long = cases.slice(QUICK[frontEnd]);
    const parts = {
      quick: cases.slice(0, QUICK[frontEnd]),
      "first half": long.filter((_, at) => at % 2 === 0),
      "second half": long.filter((_, at) => at % 2 === 1),
    };
    test.each(parts[part])("$id", async (one) => {
      if (harness === undefined) throw new Error("no harness");
      const { leaked, revoked, lost, problems } = await runCase(harness, one);
      expect({ leaked, revoked, lost, problems }).toEqual({ leaked: [], revoked: [], lost: [], problems: [] });
    });
  });
}
