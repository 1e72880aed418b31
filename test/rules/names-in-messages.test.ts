import { expect, test } from "vitest";
import { sourcesBelow, textOf } from "./source-files";

test("each message shows the name of a key shortened and without invisible characters, because the service chose it", () => {
  const messages = sourcesBelow("provider").flatMap((path) => {
    const lines = textOf(path).split("\n");
    return lines.filter((line) => /\bkey \$\{[^}]+\} \(/i.test(line)).map((line) => `${path}: ${line.trim()}`);
  });
  expect(messages.length).toBeGreaterThan(5);
  expect(messages.filter((line) => !/\} \(\$\{shownName\(|\} \(created \$/.test(line))).toEqual([]);
});
