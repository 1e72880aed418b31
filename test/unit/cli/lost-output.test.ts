import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { startControlPlane } from "../../../testing/control-plane";
import { DELETE } from "../../routes";
import { envOf, main, start } from "./support";

test("a command whose reader closes the pipe early does all that it was told to do, and its exit code says so", async () => {
  const plane = await startControlPlane();
  try {
    const made = [await plane.state.createKey("one"), await plane.state.createKey("two")];
    await plane.rules.add({ route: DELETE, hold: "before" });
    await plane.rules.add({ route: DELETE, status: 403, count: null });
    const { child, done } = start(["revoke", ...made.map(({ id }) => String(id)), "--yes"], { env: envOf(plane) });
    child.stdout.destroy();
    child.stderr.destroy();
    await plane.held.wait();
    await plane.held.release();
    expect((await done).code).toBe(1);
    expect(await plane.count("DELETE")).toBe(2);
    expect(await plane.liveKeys()).toHaveLength(1);
  } finally {
    await plane.close();
  }
});

test.runIf(process.platform === "linux").each([["--version"], ["keys", "--json"]])(
  "a command whose output cannot be written fails, and says why: %s",
  async (...args) => {
    const plane = await startControlPlane();
    const full = await open("/dev/full", "w");
    try {
      const env = { ...process.env, ...envOf(plane) };
      const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", full.fd, "pipe"], env });
      let stderr = "";
      child.stderr?.on("data", (data) => {
        stderr += data;
      });
      const [code] = await once(child, "close");
      expect([code, stderr]).toEqual([1, "keyplane: the output cannot be written (ENOSPC)\n"]);
    } finally {
      await Promise.all([full.close(), plane.close()]);
    }
  },
);
