import { cpSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm, output } from "../lib/npm.mjs";
import { environmentWithCli } from "../real-cli.mjs";
import { programFor } from "./programs.mjs";
import { writeProject } from "./tools.mjs";

const inRow = fileURLToPath(new URL("in-row", import.meta.url));

/** Creates a row's folder as a user would: the program, the tarball, the SDK. Returns the error, if any. */
export function installRow(folder, row, tarball, tools) {
  return failureOf(() => {
    const { files, manifest, build } = programFor(row);
    writeProject(folder, {
      ...manifest,
      dependencies: { "@pulumi/pulumi": row.sdk, keyplane: `file:${tarball}` },
    });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    if (row.manager === "npm") npm(["install"], folder);
    else tools.pnpm(["install", "--store-dir", tools.store], folder);
    if (build) output(tools.node(row.node), [join("node_modules", "typescript", "bin", "tsc")], folder);
  });
}

/** Runs the plugin host and the deployment with the row's Node and CLI. Returns the error, if any. */
export function runRow(folder, row, tools) {
  return failureOf(() => {
    cpSync(inRow, folder, { recursive: true });
    const node = tools.node(row.node);
    const { PATH, ...env } = row.cli === undefined ? process.env : environmentWithCli(row.cli);
    // The CLI's hosts run the program with the Node on the PATH.
    const options = { ...env, PATH: [dirname(node), PATH].join(delimiter) };
    for (const check of ["contract.cjs", "deploy.cjs"]) output(node, [join(folder, check)], folder, options);
  });
}

/** Returns what a function throws, or `undefined` if it succeeds. */
export function failureOf(work) {
  try {
    work();
    return undefined;
  } catch (error) {
    return error.message;
  }
}
