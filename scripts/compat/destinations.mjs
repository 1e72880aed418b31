import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { npm } from "../lib/npm.mjs";
import { writeProject } from "./tools.mjs";

const pages = ["destinations.md", "sealed-keys.md"].map((name) => new URL(`../../docs/${name}`, import.meta.url));

/** Type-checks the programs of docs/destinations.md and docs/sealed-keys.md with the newest versions of the packages that they use. */
export function checkDestinations(folder, tarball) {
  const programs = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, program]) => program),
  );
  const named = programs.flatMap((program) =>
    [...program.matchAll(/from "(@pulumi(?:verse)?\/[^"]+)"/g)].map(([, name]) => name),
  );
  const packages = [...new Set(named)];
  if (packages.length < 3) throw new Error(`the pages name only ${packages.length} packages`);
  writeProject(folder, {
    dependencies: {
      ...Object.fromEntries([...packages, "@pulumi/pulumi"].map((name) => [name, "latest"])),
      keyplane: `file:${tarball}`,
    },
    devDependencies: { "@types/node": "^22" },
  });
  const files = programs.map((_, at) => join(folder, `program-${at}.mts`));
  for (const [at, program] of programs.entries()) writeFileSync(files[at], program);
  npm(["install", "--ignore-scripts"], folder);
  const flaws = flawsOfPrograms(files, { types: ["node"], typeRoots: [join(folder, "node_modules", "@types")] });
  if (flaws.length > 0) throw new Error(flaws.join("\n"));
}

/** What is wrong in TypeScript files: the compiler's errors, and the deprecated properties of the objects that they pass. */
export function flawsOfPrograms(files, options) {
  const { ES2022: target } = ts.ScriptTarget;
  const { NodeNext: module } = ts.ModuleKind;
  const program = ts.createProgram(files, {
    strict: true,
    target,
    module,
    skipLibCheck: true,
    noEmit: true,
    ...options,
  });
  const errors = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  const checker = program.getTypeChecker();
  const deprecated = files.flatMap((file) => {
    return deprecatedIn(program.getSourceFile(file), checker).map((name) => `${file}: ${name} is deprecated`);
  });
  return [...errors, ...deprecated];
}

/** The names of deprecated properties in the object literals below a node. The compiler does not report these. */
function deprecatedIn(node, checker) {
  const type = ts.isObjectLiteralExpression(node) ? checker.getContextualType(node) : undefined;
  const names = type === undefined ? [] : node.properties.flatMap(({ name }) => name?.text ?? []);
  // An input is a union of a value and its promise.
  const forms = type?.isUnion() ? type.types : [type];
  const isDeprecated = (form, name) =>
    checker
      .getPropertyOfType(form, name)
      ?.getJsDocTags(checker)
      .some((tag) => tag.name === "deprecated");
  const found = names.filter((name) => forms.some((form) => isDeprecated(form, name)));
  ts.forEachChild(node, (child) => void found.push(...deprecatedIn(child, checker)));
  return found;
}
