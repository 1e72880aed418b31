import { afterEach, expect, test, vi } from "vitest";
import { runApart } from "../../../cli/doctor/run-apart";

afterEach(() => vi.unstubAllEnvs());

test("a separate process gets the variables that it needs, and none that could be secret", async () => {
  for (const name of ["KEYPLANE_API_KEY", "PULUMI_ACCESS_TOKEN", "PULUMI_CONFIG_PASSPHRASE", "NODE_OPTIONS", "ANY"]) {
    vi.stubEnv(name, "");
  }
  const script = "console.log(JSON.stringify(process.env))";
  const { stdout, error } = await runApart(process.execPath, ["-e", script], { timeout: 60_000 });
  expect(error).toBeUndefined();
  const env = JSON.parse(stdout) as NodeJS.ProcessEnv;
  expect(env).toMatchObject({ PATH: process.env.PATH });
  expect(Object.keys(env).filter((name) => /^(KEYPLANE|PULUMI|NODE_OPTIONS|ANY)/.test(name))).toEqual([]);
});

test("a separate process that ignores signals ends when its time is over", async () => {
  const script = 'process.on("SIGTERM", () => {}); console.log("began"); for (;;);';
  const { stdout, error } = await runApart(process.execPath, ["-e", script], { timeout: 3_000 });
  expect([stdout, error]).toEqual(["began\n", expect.objectContaining({ killed: true, signal: "SIGKILL" })]);
});
