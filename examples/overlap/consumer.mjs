// An application outside the stack. It reads its key when it starts and keeps it until it is restarted:
//   KEYPLANE_BASE_URL=https://HOST/api/v2 node consumer.mjs KEY_FILE
// Ends on SIGTERM, and prints how many of its API calls failed.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const key = readFileSync(process.argv[2], "utf8").trim();
const url = `${process.env.KEYPLANE_BASE_URL}/projects?limit=1`;
let calls = 0;
let failures = 0;
let running = true;
process.once("SIGTERM", () => {
  running = false;
});

console.log("started");
while (running) {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
  calls += 1;
  if (!answer?.ok) failures += 1;
  await answer?.arrayBuffer();
  await pause(5);
}
console.log(JSON.stringify({ calls, failures }));
