import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runEngineHere } from "../../../testing/workspace/engine-here";

test("a command inside this process fails like one in a separate process, and does not change this process", async () => {
  const listeners = process.listenerCount("SIGINT");
  const said: string[] = [];
  const where = { env: {}, eventLog: join(tmpdir(), "no-such-log"), timeoutMs: 10_000 };
  const { exit, signal, stderr, stdout } = await runEngineHere("up", ["--cwd", "examples/quickstart"], {
    ...where,
    onOutput: (text) => said.push(text),
  });
  expect({ exit, signal, stdout, said }).toEqual({ exit: 255, signal: null, stdout: "", said: [] });
  expect(stderr).toMatch(/^error: .+\n$/);
  expect(process.exitCode ?? 0).toBe(0);
  expect(process.listenerCount("SIGINT")).toBe(listeners);
});
