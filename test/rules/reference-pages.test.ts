import ts from "typescript";
import { expect, test } from "vitest";
import { collect, filesBelow, sourcesBelow, textOf } from "./source-files";

const sources = sourcesBelow("sdk/nodejs", "provider/functions", "provider/api");

/** The type whose properties each page documents, by heading. */
const pages: Record<string, Record<string, string>> = {
  "docs/resources/api-key.md": { Inputs: "ApiKeyArgs", Outputs: "ApiKey" },
  "docs/resources/rotating-api-key.md": { Inputs: "RotatingApiKeyArgs", Outputs: "RotatingApiKey" },
  "docs/resources/project-ready.md": { Inputs: "ProjectReadyArgs", Outputs: "ProjectReady" },
  "docs/data-sources/api-keys.md": { Arguments: "GetApiKeyArgs", Result: "ApiKeyRecord" },
  "docs/data-sources/projects.md": { Arguments: "GetProjectArgs", Result: "Project" },
  "docs/data-sources/operations.md": { Arguments: "GetOperationArgs GetOperationsArgs", Result: "Operation" },
  "docs/data-sources/wait-for-operations.md": { Arguments: "WaitForOperationsArgs" },
};

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

/** The names in the first column of the table under a heading. */
function rowsUnder(heading: string, page: string): string[] {
  const [, section = ""] =
    new RegExp(`^## ${heading}\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, "m").exec(textOf(page)) ?? [];
  const cells = [...section.matchAll(/^\| (`[^|]*)\|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
}

test.each(Object.keys(pages))("%s lists exactly the inputs and outputs of the type", (page) => {
  for (const [heading, types] of Object.entries(pages[page] ?? {})) {
    const properties = new Set(types.split(" ").flatMap(propertiesOf));
    expect(properties.size, types).toBeGreaterThan(0);
    expect(rowsUnder(heading, page).sort(), heading).toEqual([...properties].sort());
  }
});

test("every resource and every data source has a page, and the README links to it", () => {
  const written = filesBelow("docs").filter((path) => /^docs\/(resources|data-sources)\//.test(path));
  expect(written.sort()).toEqual(Object.keys(pages).sort());
  const readme = textOf("README.md");
  expect(written.filter((path) => !readme.includes(`(${path})`))).toEqual([]);
  const titles = written.flatMap((path) => textOf(path).split("\n")[0]?.slice(2).split(", ") ?? []);
  const exported = [
    ...textOf("sdk/nodejs/index.ts").matchAll(/\b(ApiKey|RotatingApiKey|ProjectReady|(?:get|list|wait)\w+)\b(?=[ ,])/g),
  ];
  const named = new Set(exported.map(([name]) => name).filter((name) => !name.endsWith("Output")));
  expect(titles.sort()).toEqual([...named].sort());
});
