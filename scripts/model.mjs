// Generates random stories of programs, faults and crashes, and checks the invariants after each: `npm run test:model
// -- --stories 10000 --seed 7`, or with `--plugin` stories of the plugin. Stories run in parts. Each part has its own
// seed, and the first part has the given one. As many parts run concurrently as there are cores. A failed story is
// printed as a test to keep.
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const PART = 250;
const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    stories: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    plugin: { type: "boolean", default: false },
  },
});
const [stories, seed] = [numberOf("stories"), numberOf("seed")];
const file = `test/model/${values.plugin ? "plugin" : "model"}.test.ts`;

const parts = Array.from({ length: Math.ceil(stories / PART) }, (_, index) => ({
  seed: seed + index,
  stories: Math.min(PART, stories - index * PART),
}));
const count = parts.length;
const failed = [];
let told = 0;
say(`${stories} stories from the seed ${seed}`);
await Promise.all(Array.from({ length: availableParallelism() }, work));
say(
  failed.length === 0
    ? "every story ended well"
    : `a story failed in ${failed.length} of ${count} parts: --seed ${failed.join(", --seed ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work() {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const { ended, output } = await tell(part);
    told += part.stories;
    if (!ended) {
      failed.push(part.seed);
      say(output);
    }
    say(`${told} of ${stories} stories told, ${failed.length} failed`);
  }
}

/** Runs the stories of one part in its own process. */
function tell(part) {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "model", "--testTimeout=0", file],
    {
      cwd: root,
      env: { ...process.env, KEYPLANE_MODEL_STORIES: String(part.stories), KEYPLANE_MODEL_SEED: String(part.seed) },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve({ ended: code === 0, output: Buffer.concat(chunks).toString() }));
  });
}

function numberOf(option) {
  const number = Number(values[option]);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  say(`--${option} must be a whole number`);
  process.exit(2);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
