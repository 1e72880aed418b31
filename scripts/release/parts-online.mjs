import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flawsOfRuns, run } from "../lib/run.mjs";
import { NotTried } from "./verdicts.mjs";

/** A registry without an answer has none a minute later. */
const ONCE = ["--fetch-retries=0"];
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

/** What users install, judged by a package registry. It is outside of the repository, whose package.json npm would take. */
export const ONLINE_PARTS = [
  {
    name: "the npm package: installed in an empty project, and imported",
    online: true,
    tools: ["npm"],
    judge: flawsOfInstall,
  },
  { name: "the npm package: known weaknesses of what it installs", online: true, tools: ["npm"], judge: flawsOfAudit },
  { name: "the npm package: signatures of what it installs", online: true, tools: ["npm"], judge: flawsOfSignatures },
  { name: "the npm package: the list of its components", online: true, tools: ["npm"], judge: flawsOfComponents },
];

const projectIn = (folder) => join(folder, "installed");

function flawsOfInstall({ folder, packed, manifest }) {
  const cwd = projectIn(folder);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), '{ "name": "installed", "version": "1.0.0", "private": true }\n');
  const entries = Object.keys(manifest.exports).map((entry) => entry.replace(/^\./, manifest.name));
  const program = `for (const entry of ${JSON.stringify(entries)}) require(entry)`;
  return flawsOfRuns([
    ["npm", ["install", "--ignore-scripts", ...QUIET, packed().tarball, "@pulumi/pulumi@3.248.0"], { cwd }],
    [process.execPath, ["-e", program], { cwd }],
  ]);
}

function flawsOfAudit({ folder }) {
  const { stdout, said } = run("npm", ["audit", "--json", ...ONCE], { cwd: projectIn(folder) });
  const report = parsed(stdout);
  if (report?.metadata === undefined) throw new NotTried(`the registry has no answer: ${errorIn(said)}`);
  return Object.values(report.vulnerabilities ?? {}).map(
    ({ name, severity }) => `${name} has a weakness (${severity})`,
  );
}

function flawsOfSignatures({ folder }) {
  const { succeeded, stdout, said } = run("npm", ["audit", "signatures", "--json", ...ONCE], {
    cwd: projectIn(folder),
  });
  const report = parsed(stdout);
  if (report?.invalid === undefined) throw new NotTried(`the registry has no answer: ${errorIn(said)}`);
  const flaws = ["invalid", "missing"].flatMap((kind) =>
    (report[kind] ?? []).map(({ name }) => `${name}: ${kind} signature`),
  );
  return succeeded || flaws.length > 0 ? flaws : [errorIn(said)];
}

function flawsOfComponents({ folder, out }) {
  const { succeeded, stdout, said } = run("npm", ["sbom", "--sbom-format", "cyclonedx"], { cwd: projectIn(folder) });
  if (!succeeded) return [errorIn(said)];
  if (out !== undefined) writeFileSync(join(out, "sbom.cdx.json"), stdout);
  return parsed(stdout)?.components?.length > 0 ? [] : ["the list is empty"];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first error that npm printed. */
function errorIn(said) {
  return /^npm error (.*)$/m.exec(said)?.[1] ?? said.trim().slice(0, 200);
}
