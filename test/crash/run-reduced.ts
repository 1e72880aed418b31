import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pluginFolder } from "../plugin-folder";
import { CrashHarness } from "./harness";
import type { Case, FrontEnd, Next, Victim } from "./plan";
import { runCase } from "./run-case";
import { POST } from "./scenarios";

/** A case of the matrix: the scenario, the request or the verb at which the run is killed, who is killed, and what follows. */
type Short = readonly [scenario: string, at: string, victim: Victim, next: Next];

const DELETE = "DELETE /api_keys/{key_id}";

/** What each change of a contributor is tested with: a creation, a replacement, a rotation and a deletion. */
export const QUICK: readonly Short[] = [
  ["create", POST, "both", "up"],
  ["replace", POST, "both", "destroy"],
  ["rotate", POST, "both", "up"],
];

export const LONG: readonly Short[] = [
  ["create", POST, "both", "back"],
  ["create, first", "create ApiKey", "engine", "up"],
  ["create, operations", "create ApiKey", "both", "up"],
  ["create again", DELETE, "both", "up"],
  ["replace", DELETE, "host", "up"],
  ["replace, exact name", POST, "both", "up"],
  ["rotate", "update RotatingApiKey", "both", "destroy"],
  ["retire", DELETE, "both", "up"],
  ["revoke current", POST, "both", "up"],
  ["destroy after a kill", DELETE, "engine", "destroy"],
];

function caseOf([scenario, at, victim, next]: Short): Case {
  const point = /^(GET|POST|DELETE) /.test(at) ? "after-send" : "before-return";
  const id = [scenario, at, `kill ${victim}`, next].join(" | ");
  return { id, scenario, message: { channel: "provider", point, route: at }, nth: 1, victim, commit: "now", next };
}

/** Defines a test for each of some cases. */
export function testCases(frontEnd: FrontEnd, cases: readonly Short[]): void {
  describe(`after a crash of the ${frontEnd} provider`, () => {
    let folder = "";
    let harness: CrashHarness | undefined;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "keyplane-crash-"));
      if (frontEnd === "plugin") pluginFolder();
      harness = await CrashHarness.open(folder, engineOf(process.env), frontEnd);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const none = { leaked: [], twice: [], told: [], revoked: [], lost: [], problems: [] };
    test.each(cases.map(caseOf))("and one more command, no key is leaked: $id", async (one) => {
      if (harness === undefined) throw new Error("no harness");
      expect(await runCase(harness, one)).toMatchObject(none);
    });
  });
}
