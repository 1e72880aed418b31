import { expect, test } from "vitest";
import { sourcesBelow, textOf } from "./source-files";

test("each message shows the name of a key shortened and without invisible characters, because the service chose it", () => {
  const messages = sourcesBelow("provider").flatMap((path) => {
    const lines = textOf(path).split("\n");
    return lines.filter((line) => /\bkey \$\{[^}]+\} \(/i.test(line)).map((line) => `${path}: ${line.trim()}`);
  });
  const formatted = sourcesBelow("provider").flatMap((path) => textOf(path).match(/\$\{format(Key|Listed)\(/g) ?? []);
  expect(formatted.length).toBeGreaterThan(20);
  expect(messages.filter((line) => !/\} \(created \$/.test(line))).toEqual([]);
});
