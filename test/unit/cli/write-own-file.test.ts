import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeOwnFile } from "../../../cli/report/report";

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "keyplane-out-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test("the page of a report is readable only by its owner", async () => {
  const path = await folder();
  await writeOwnFile(join(path, "report.html"), "new");
  expect((await stat(join(path, "report.html"))).mode & 0o777).toBe(0o600);
});

test("the page of a report replaces a file, and does not write into the file of somebody else", async () => {
  const path = await folder();
  const file = join(path, "report.html");
  await writeFile(file, "old", { mode: 0o666 });
  const { ino } = await stat(file);
  await writeOwnFile(file, "new");
  const { ino: after, mode } = await stat(file);
  expect({ isSame: ino === after, mode: mode & 0o777 }).toEqual({ isSame: false, mode: 0o600 });
  expect(await readdir(path)).toEqual(["report.html"]);
});

test("the page of a report is not written through a link", async () => {
  const path = await folder();
  await writeFile(join(path, "other"), "old");
  await symlink(join(path, "other"), join(path, "report.html"));
  await expect(writeOwnFile(join(path, "report.html"), "new")).rejects.toThrow("not a file");
  expect(await readFile(join(path, "other"), "utf8")).toBe("old");
});

test("a pipe in the place of a report's page does not block the command", async () => {
  const path = await folder();
  execFileSync("mkfifo", [join(path, "report.html")]);
  await expect(writeOwnFile(join(path, "report.html"), "new")).rejects.toThrow("not a file");
});
