import { join } from "node:path";
import { type ControlPlane, searchSecrets, startControlPlane } from "keyplane/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Report } from "../../cli/report/data";
import { envOf, folderWith, start } from "../unit/cli/support";
import { FRONT_ENDS, StackUnderTest } from "./stack-under-test";

let plane: ControlPlane;
let stack: StackUnderTest | undefined;

beforeEach(async () => {
  plane = await startControlPlane({ clock: { mode: "real" } });
});

afterEach(async () => {
  await stack?.workspace.remove();
  await plane.close();
});

const program = (trigger: number) => `
const ci = new ApiKey("ci", { rotateAfter: "90d" });
const app = new RotatingApiKey("app", { rotationTriggers: { n: "${trigger}" }, gracePeriod: "12h" });
consumer("deploys", ci);
consumer("serves", app);
`;

test.each(FRONT_ENDS)(
  "the report of a stack of the %s shows its keys, their consumers and what happens next",
  async (frontEnd) => {
    stack = await StackUnderTest.create(frontEnd, plane, program(1));
    await stack.up();
    await stack.setProgram(program(2));
    await stack.up();
    const byHand = await plane.state.createKey("by-hand");
    const state = JSON.stringify(await stack.workspace.exportState());
    const folder = await folderWith({ "dev.json": state });
    const out = join(folder, "report.html");
    const asked = await plane.count();
    const args = ["report", "--json", "--out", out, "--state", join(folder, "dev.json")];
    const { code, stdout, stderr } = await start(args, { env: envOf(plane) }).done;
    expect([code, stderr]).toEqual([0, "Wrote the report: 5 keys, 1 list, 1 state.\n"]);
    expect((await plane.count()) - asked).toBe(2);
    const { keys, flagged } = JSON.parse(stdout) as Report;
    const rowOf = (resource: string, role: string) => {
      const found = keys.filter(({ holders: [holder] }) => holder?.resource === resource && holder.role === role);
      expect(found).toHaveLength(1);
      return found[0];
    };
    expect(rowOf("ci", "current")).toMatchObject({
      status: "live",
      stack: "proj/dev",
      next: { action: "replace", isDue: false },
      holders: [{ consumers: [expect.stringContaining("::deploys")] }],
    });
    expect(rowOf("app", "current")).toMatchObject({ next: { action: "stay" } });
    expect(rowOf("app", "previous")).toMatchObject({ flags: [], next: { action: "revoke", isDue: false } });
    expect(flagged).toEqual({ unmanaged: 1, credential: 1 });
    expect(keys.filter(({ flags }) => flags.includes("unmanaged")).map(({ id }) => id)).toEqual([String(byHand.id)]);

    // Somebody revokes a key by hand: the next report shows that it is gone.
    await plane.state.revokeKey(Number(rowOf("ci", "current")?.id));
    const later = JSON.parse((await start(args, { env: envOf(plane) }).done).stdout) as Report;
    expect(later.flagged.gone).toBe(1);
    const issued = Object.fromEntries((await plane.secretsEverIssued()).map((secret, at) => [`${at}`, secret]));
    expect(Object.keys(issued)).toHaveLength(5);
    expect(await searchSecrets(issued, { paths: [out], texts: { stdout } })).toEqual([]);
  },
);
