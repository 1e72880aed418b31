import ts from "typescript";
import { expect, test } from "vitest";
import { collect, filesBelow, sourcesBelow, textOf } from "./source-files";

const sources = sourcesBelow("sdk/nodejs", "provider/functions", "provider/api");

/** The types whose properties a table or a list documents: page, section, head, types. */
const tables = [
  ["docs/resources/api-key.md", "Inputs", "Input", "ApiKeyArgs"],
  ["docs/resources/api-key.md", "Outputs", "Output", "ApiKey"],
  ["docs/resources/rotating-api-key.md", "Inputs", "Input", "RotatingApiKeyArgs"],
  ["docs/resources/rotating-api-key.md", "Outputs", "Output", "RotatingApiKey"],
  ["docs/resources/project-ready.md", "Inputs", "Input", "ProjectReadyArgs"],
  ["docs/resources/project-ready.md", "Outputs", "Output", "ProjectReady"],
  ["docs/data-sources.md", "getApiKey, getApiKeys", "Argument", "GetApiKeyArgs"],
  ["docs/data-sources.md", "getApiKey, getApiKeys", "Result", "ApiKeyRecord"],
  ["docs/data-sources.md", "getProject, getProjects", "Argument", "GetProjectArgs"],
  ["docs/data-sources.md", "getProject, getProjects", "Result", "Project"],
  [
    "docs/data-sources.md",
    "getOperation, getOperations, listOperations",
    "Argument",
    "GetOperationArgs GetOperationsArgs",
  ],
  ["docs/data-sources.md", "getOperation, getOperations, listOperations", "Result", "Operation"],
  ["docs/data-sources.md", "waitForOperations", "Argument", "WaitForOperationsArgs"],
] as const;

/** What the page of the data sources says once, because all of them take it. */
const OF_ALL = ["account", "signal", "onWarning"];

/** The public properties of an interface or a class, with inherited and without static ones. */
function propertiesOf(type: string): string[] {
  const names = sources
    .filter((path) => new RegExp(` ${type}\\b`).test(textOf(path)))
    .flatMap((path) =>
      collect(path, (node) => {
        if (!ts.isInterfaceDeclaration(node) && !ts.isClassDeclaration(node)) return undefined;
        if (node.name?.text !== type) return undefined;
        const own = [...node.members].flatMap((member) => {
          const isProperty =
            ts.isPropertySignature(member) || ts.isPropertyDeclaration(member) || ts.isGetAccessor(member);
          return isProperty && ts.isIdentifier(member.name) ? [member.name.text] : [];
        });
        const bases = node.heritageClauses?.flatMap(({ types }) => types.map(({ expression }) => expression)) ?? [];
        return [...own, ...bases.flatMap((base) => (ts.isIdentifier(base) ? propertiesOf(base.text) : []))];
      }),
    );
  return names.flat();
}

/** The sections of a page, by heading. */
function sectionsOf(page: string): Map<string, string> {
  const [, ...sections] = textOf(page).split(/^## /m);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf("\n")), text]));
}

/** The names that begin the rows of the table, or the items of the lists, of a section that have this head. */
function rowsIn(section: string, head: string): string[] {
  const blocks = section.matchAll(new RegExp(`^(?:\\| ${head} .*\n|${head}s?\\b.*:\n\n)((?:[|-].*\n?)*)`, "gm"));
  const cells = [...blocks].flatMap(([, block = ""]) => [...block.matchAll(/^(?:\||-) (`[^|:(]*)/gm)]);
  return cells.flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

test.each(tables)("%s, %s: below %s are exactly the properties of %s", (page, heading, head, types) => {
  const properties = new Set(types.split(" ").flatMap(propertiesOf));
  expect(properties.size).toBeGreaterThan(0);
  const own = [...properties].filter((name) => head !== "Argument" || !OF_ALL.includes(name));
  expect(rowsIn(sectionsOf(page).get(heading) ?? "", head).sort()).toEqual(own.sort());
});

test("every resource and every data source is described, and the README links to its page", () => {
  const written = filesBelow("docs").filter((path) => /^docs\/(resources\/|data-sources)/.test(path));
  expect(written.sort()).toEqual([...new Set(tables.map(([page]) => page))].sort());
  const readme = textOf("README.md");
  expect(written.filter((path) => !readme.includes(`(${path})`))).toEqual([]);
  const resources = written
    .filter((path) => path.includes("/resources/"))
    .map((path) => textOf(path).split("\n")[0]?.slice(2));
  const functions = [...sectionsOf("docs/data-sources.md").keys()].flatMap((heading) => heading.split(", "));
  const exported = [
    ...textOf("sdk/nodejs/index.ts").matchAll(/\b(ApiKey|RotatingApiKey|ProjectReady|(?:get|list|wait)\w+)\b(?=[ ,])/g),
  ];
  const named = new Set(exported.map(([name]) => name).filter((name) => !name.endsWith("Output")));
  expect([...resources, ...functions].sort()).toEqual([...named].sort());
});
