import { join } from "node:path";
import { engineOf } from "keyplane/testing";
import { afterAll, describe, expect, test } from "vitest";
import { casesIn } from "./replay/case";
import { asCompared, inTermsOf } from "./replay/compare";
import { PROBE, replay } from "./replay/replay";
import { SharedProcesses } from "./replay/shared-processes";

const FOLDERS = [join(__dirname, "cases"), process.env.KEYPLANE_CONFORMANCE ?? ""].filter((path) => path !== "");

// Starting the processes of each command would take ten times as long as the command itself.
const shared = engineOf(process.env) === "embedded" ? new SharedProcesses(PROBE) : undefined;

afterAll(() => shared?.close());

describe.each(FOLDERS)("the engine does as recorded in %s", (folder) => {
  const cases = casesIn(folder).map((recorded) => [recorded.name, recorded.about, recorded] as const);
  test.each(cases)("%s: %s", async (_name, _about, recorded) => {
    await replay(
      recorded,
      (index, seen, printed) => {
        const { command, args = [], expect: expected } = recorded.steps[index] ?? expect.fail("no such step");
        const step = `step ${index + 1}, ${[command, ...args].join(" ")}, which printed:\n${printed}\n`;
        expect(inTermsOf(recorded, index, seen), step).toEqual(asCompared(expected));
      },
      shared,
    );
  });
});
