import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { controlCalls } from "../control/calls";
import { ruleFields } from "../faults/read-rule";
import { faults } from "../faults/rule";
import { routes } from "../routes/table";
import { startPlane } from "./support";

const text = readFileSync(join(__dirname, "../README.md"), "utf8");

test("the documentation page names every fault, every field of a rule and every control endpoint", () => {
  const paths = controlCalls.map(({ path }) => path.replace(":id", "ID"));
  const missing = [...faults, ...ruleFields].filter((name) => !text.includes(`\`${name}\``));
  expect([...missing, ...paths.filter((path) => !text.includes(path))]).toEqual([]);
});

test("the documentation page names the last segment of every route", () => {
  expect(
    routes.filter(({ path }) => !text.includes(path.slice(path.lastIndexOf("/")))).map(({ path }) => path),
  ).toEqual([]);
});

test("a control plane accepts every curl command of the documentation page", async () => {
  const plane = await startPlane();
  const commands = [...text.matchAll(/^curl -s (?:-X (\w+) )?(http\S+)(?: -d '(.+)')?$/gm)];
  expect(commands.length).toBeGreaterThan(4);
  await plane.state.createKey("for the DELETE");
  for (const [command, method, url = "", body] of commands) {
    const target = url.replace("http://127.0.0.1:8080/_control", plane.controlUrl);
    const { status } = await fetch(target, { method: method ?? (body ? "POST" : "GET"), body: body ?? null });
    expect([command, status]).toEqual([command, 200]);
  }
});
