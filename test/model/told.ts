import { inspect } from "node:util";
import type { RunDetails } from "fast-check";
import type { Action } from "./actions";

/** The number of stories and their seed. `npm run test:model` sets both; otherwise they are fixed. */
export const storiesOr = (few: number) => Number(process.env.KEYPLANE_MODEL_STORIES ?? few);
export const SEED = Number(process.env.KEYPLANE_MODEL_SEED ?? 20260101);

/** Prints a failed story as a test for `stories.test.ts`, after shrinking it. */
export function reporter({ failed, seed, counterexample, errorInstance }: RunDetails<[readonly Action[]]>): void {
  if (!failed || counterexample === null) return;
  const [actions] = counterexample;
  const lines = actions.map(
    (action) => `      ${inspect(action, { depth: null, breakLength: Number.POSITIVE_INFINITY })},`,
  );
  const pasted = [
    `  test("NAME WHAT HAPPENS IN IT", async () => {`,
    "    await runStory([",
    ...lines,
    "    ]);",
    "  });",
  ];
  const message = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`a story of the seed ${seed} failed: ${message}\n\n${pasted.join("\n")}\n`, { cause: errorInstance });
}
