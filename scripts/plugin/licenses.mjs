import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;

/**
 * The licenses of all packages in a bundle, and of this package first. Packages with the same text share it.
 *
 * @param {string[]} inputs - The paths of the bundled files, relative to the root.
 * @param {string} root - The folder of this package.
 */
export function licensesOf(inputs, root) {
  const namesByText = new Map();
  for (const folder of foldersOf(inputs)) {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    if (typeof license !== "string") throw new Error(`${name} ${version} has no license: it cannot be bundled`);
    const text = textsIn(join(root, folder)) || `${name} declares the license ${license} and contains no text of it.`;
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  return Array.from(namesByText, ([text, names]) => `${names.join("\n")}\n\n${text}\n\n${"-".repeat(80)}\n\n`).join("");
}

/** The folders of the packages to which files belong, in the order of their names. */
function foldersOf(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "");
  return [...new Set(folders)].sort();
}

function textsIn(folder) {
  const names = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}
