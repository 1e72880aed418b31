// Draws docs/report.png: the report of invented keys in the Chromium on the PATH.
//   node scripts/pictures/draw-report.mjs
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { joinReport } from "../../dist/cli/report/join.js";
import { pageOf } from "../../dist/cli/report/page.js";
import { readPageParts } from "../../dist/cli/report/page-parts.js";
import { NOW, SOURCES } from "./report-sources.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const HEIGHT = 1140;

const report = joinReport(SOURCES, { now: NOW, unusedFor: { text: "90d", ms: 90 * 86_400_000 } });
const folder = mkdtempSync(join(tmpdir(), "keyplane-picture-"));
try {
  const page = join(folder, "report.html");
  writeFileSync(page, pageOf(report, readPageParts()));
  const options = [
    "--headless=new",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    `--user-data-dir=${folder}`,
  ];
  // Chromium refuses its sandbox to root, such as in a container.
  if (process.getuid?.() === 0) options.push("--no-sandbox");
  options.push(`--window-size=1600,${HEIGHT}`, `--screenshot=${join(root, "docs", "report.png")}`);
  execFileSync("chromium", [...options, pathToFileURL(page).href], { stdio: "ignore" });
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
