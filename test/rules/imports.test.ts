import { posix } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { sourcesBelow, textOf } from "./source-files";

/** For each folder, the other folders and the packages that it may import. Node's own modules are always allowed. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  cli: [
    "provider",
    "provider/resources",
    "provider/keys",
    "provider/stack",
    "provider/settings",
    "provider/api",
    "provider/http",
    "provider/errors",
    "testing/control-plane",
    "commander",
    "hono",
    "yaml",
  ],
  bench: ["provider/dynamic", "testing", "testing/control-plane", "@pulumi/pulumi", "undici"],
  testing: ["provider", "testing/control-plane", "testing/engine", "yaml", "@pulumi/pulumi", "@grpc/grpc-js"],
  "testing/control-plane": ["@hono/node-server", "hono"],
  "testing/engine": ["provider", "@grpc/grpc-js", "@pulumi/pulumi", "google-protobuf", "yaml"],
  "sdk/nodejs": [
    "provider",
    "provider/functions",
    "provider/settings",
    "provider/api",
    "provider/errors",
    "@pulumi/pulumi",
  ],
  "provider/dynamic": [
    "provider",
    "provider/session",
    "provider/resources",
    "provider/schema",
    "provider/errors",
    "@pulumi/pulumi",
  ],
  "provider/plugin": [
    "provider",
    "provider/session",
    "provider/resources",
    "provider/functions",
    "provider/schema",
    "provider/settings",
    "provider/errors",
    "@pulumi/pulumi",
    "@grpc/grpc-js",
    "google-protobuf",
  ],
  "provider/session": [
    "provider",
    "provider/resources",
    "provider/keys",
    "provider/stack",
    "provider/schema",
    "provider/settings",
    "provider/api",
    "provider/http",
    "provider/errors",
    "@pulumi/pulumi",
    "@grpc/grpc-js",
  ],
  "provider/resources": [
    "provider",
    "provider/keys",
    "provider/stack",
    "provider/schema",
    "provider/seal",
    "provider/api",
    "provider/errors",
  ],
  "provider/keys": [
    "provider",
    "provider/stack",
    "provider/schema",
    "provider/seal",
    "provider/settings",
    "provider/api",
    "provider/errors",
  ],
  "provider/stack": ["provider", "provider/errors"],
  "provider/schema": ["provider", "provider/errors"],
  "provider/seal": ["provider", "age-encryption", "@noble/ciphers", "@noble/hashes", "@scure/base"],
  "provider/functions": ["provider", "provider/api", "provider/errors"],
  "provider/api": ["provider", "provider/http", "provider/errors"],
  "provider/settings": ["provider", "provider/errors"],
  "provider/http": ["provider", "provider/errors", "undici"],
  provider: ["provider/errors"],
  "provider/errors": [],
};

const folders = Object.keys(allowed);
const packageSources = sourcesBelow("sdk", "provider", "cli", "testing");

/** The folder of the table to which a path belongs: the longest one that contains it. */
function folderOf(path: string): string {
  const homes = folders.filter((folder) => `${path}/`.startsWith(`${folder}/`));
  return homes.sort((one, other) => other.length - one.length)[0] ?? posix.dirname(path);
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** What a file imports from outside its folder: folders of the repository and packages, but no data. */
function importsOf(path: string): string[] {
  const { importedFiles } = ts.preProcessFile(textOf(path), true, true);
  const targets = importedFiles
    .filter(({ fileName }) => !fileName.endsWith(".json"))
    .map(({ fileName }) => {
      if (!fileName.startsWith(".")) return packageOf(fileName);
      return folderOf(posix.join(posix.dirname(path), fileName));
    });
  return targets.filter((target) => !target.startsWith("node:") && target !== folderOf(path));
}

test.each(folders)("%s imports only from layers below it", (folder) => {
  const files = sourcesBelow(folder).filter((path) => folderOf(path) === folder);
  const wrong = files.flatMap((path) => {
    return importsOf(path)
      .filter((target) => !allowed[folder]?.includes(target))
      .map((target) => `${path} imports ${target}`);
  });
  expect(files).not.toEqual([]);
  expect(wrong).toEqual([]);
});

test.each(["testing/control-plane", "testing/engine"])(
  "%s is a workspace that names the packages it needs",
  (folder) => {
    const { dependencies } = JSON.parse(textOf(`${folder}/package.json`));
    expect(Object.keys(dependencies)).toEqual(allowed[folder]?.filter((name) => name !== "provider"));
    const { dependencies: own, devDependencies } = JSON.parse(textOf("package.json"));
    expect({ ...devDependencies, ...own }).toMatchObject(dependencies);
  },
);

test("the imports of every source file of the package are limited by the table", () => {
  expect(packageSources.filter((path) => !folders.includes(folderOf(path)))).toEqual([]);
});

test("only `keyplane serve` of the command loads the test kit, because it starts the control plane", () => {
  const users = sourcesBelow("cli").filter((path) => importsOf(path).some((target) => target.startsWith("testing")));
  expect(users).toEqual(["cli/serve.ts"]);
});

test("the table names each folder after all folders that may import it, so that calls go one way", () => {
  const order = folders.filter((folder) => folder.startsWith("provider"));
  for (const [at, folder] of order.entries()) {
    expect(
      order.slice(0, at).filter((above) => allowed[folder]?.includes(above)),
      folder,
    ).toEqual([]);
  }
});

test("no file imports itself through a cycle, so that every file can be read on its own", () => {
  const files = packageSources;
  const graph = new Map(files.map((path) => [path, runtimeImports(path, files)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(" -> "));
    else if (!done.has(path)) for (const next of graph.get(path) ?? []) visit(next, [...above, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(circles).toEqual([]);
});

/** The files that a file loads when it is loaded, without types and without files that it loads later. */
function runtimeImports(path: string, files: readonly string[]): string[] {
  const { statements } = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
    if (clause !== undefined && "isTypeOnly" in clause && clause.isTypeOnly) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    const target = posix.join(posix.dirname(path), moduleSpecifier.text);
    return files.filter((file) => file === `${target}.ts` || file === `${target}/index.ts`);
  });
}
