import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Bench } from "./bench";
import { matrix, reduced } from "./matrix";
import { runCase } from "./run-case";

/** How many runs of the matrix belong to every test run: each moment comes up twice. */
export const REDUCED = 26;

const engine = engineOf(process.env);

/** Defines a test for each run of one half of the reduced matrix: two files, so that two workers share them. */
export function testHalf(half: 0 | 1): void {
  describe("after a crash, one more command leaves no key leaked, lost or wrongly revoked", () => {
    let folder = "";
    let bench: Bench | undefined;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "keyplane-crash-"));
      bench = await Bench.open(folder, engine);
    });
    afterAll(async () => {
      await bench?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const cases = reduced(matrix({ engineMoments: engine === "embedded" }), REDUCED);
    test.each(cases.filter((_, at) => at % 2 === half))("$id", async (one) => {
      if (bench === undefined) throw new Error("no bench");
      const { leaked, revoked, lost, problems } = await runCase(bench, one);
      expect({ leaked, revoked, lost, problems }).toEqual({ leaked: [], revoked: [], lost: [], problems: [] });
    });
  });
}
