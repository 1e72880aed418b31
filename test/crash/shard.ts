import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineName } from "keyplane/testing";
import { CrashHarness } from "./harness";
import type { Case, FrontEnd } from "./plan";
import { type CaseResult, runCase } from "./run-case";

/** Runs cases one after another and appends each result, a JSON line, to a file. */
export async function runShard(
  cases: readonly Case[],
  { engine, frontEnd }: { readonly engine: EngineName; readonly frontEnd: FrontEnd },
  results: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "keyplane-crash-"));
  const harness = await CrashHarness.open(folder, engine, frontEnd);
  try {
    for (const one of cases) {
      const result = await runCase(harness, one).catch((error: Error): CaseResult => {
        const problems = [`the run broke off: ${error.stack ?? error.message}`];
        return { id: one.id, leaked: [], excluded: [], revoked: [], lost: [], problems, durationMs: 0 };
      });
      await appendFile(results, `${JSON.stringify(result)}\n`);
    }
  } finally {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  }
}
