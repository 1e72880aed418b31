import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import ts from "typescript";

/** The repository's folder. */
export const root = join(__dirname, "..", "..");

/** What is not the repository's own text: installed, built, or made by a run. */
const foreign = new Set([".git", ".tmp", "coverage", "dist", "node_modules"]);

/** The repository's own files below a folder, as paths with `/`, relative to the repository. */
export function filesBelow(folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = relative(root, join(root, folder, entry.name))
      .split(sep)
      .join("/");
    if (entry.isDirectory()) return foreign.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** The TypeScript sources below some folders. */
export function sourcesBelow(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) => filesBelow(folder)).filter((path) => /\.m?ts$/.test(path));
}

/** The text of one of the repository's files. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** Every node of a source file's syntax tree for which `pick` answers something. */
export function collect<T>(path: string, pick: (node: ts.Node) => T | undefined): T[] {
  const found: T[] = [];
  const visit = (node: ts.Node): void => {
    const picked = pick(node);
    if (picked !== undefined) found.push(picked);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022, true));
  return found;
}
