import { expect, test } from "vitest";
import { startControlPlane } from "../../../testing/control-plane";
import { drivenTime } from "../../../testing/driven-time";
import { Workspace } from "../../../testing/workspace";
import { DAY } from "../../times";

test("the history has the times of the control plane, on which the program and the providers run", async () => {
  const plane = await startControlPlane({ clock: { mode: "real" } });
  const workspace = await Workspace.create({ engine: "embedded", program: { "index.js": "" } });
  try {
    await workspace.up({ env: await drivenTime(plane) });
    await plane.clock.advance(31 * DAY);
    await workspace.up({ env: await drivenTime(plane), inProcess: true });
    const { stdout } = await workspace.command(["stack", "history", "--json"]);
    const runs = JSON.parse(stdout) as readonly { readonly startTime: string; readonly endTime: string }[];
    const { now } = await plane.clock.read();
    const ages = runs.map(({ startTime, endTime }) => [startTime, endTime].map((time) => now - Date.parse(time)));
    expect(ages.map((times) => times.map((age) => Math.round(age / DAY)))).toEqual([
      [0, 0],
      [31, 31],
    ]);
  } finally {
    await workspace.remove();
    await plane.close();
  }
});
