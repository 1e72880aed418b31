import { expect, test } from "vitest";
import { parse } from "yaml";
import { version } from "../../package.json";
import { snippetsOf } from "./snippets";
import { filesBelow, textOf } from "./source-files";

interface Shape {
  readonly inputProperties: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

const schema = JSON.parse(textOf("provider/plugin/schema.json")) as {
  readonly resources: Readonly<Record<string, Shape>>;
  readonly provider: Shape;
};

/** A resource in a program: its type, the names of its inputs, and the names of its outputs that the program uses. */
interface Declared {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The names that the schema does not have. */
function unknownIn({ type, inputs, outputs }: Declared): string[] {
  const shape = type === "Provider" ? schema.provider : schema.resources[`keyplane:index:${type}`];
  if (shape === undefined) return [type];
  return [
    ...inputs.filter((name) => !(name in shape.inputProperties)),
    ...outputs.filter((name) => !(name in shape.properties)),
  ].map((name) => `${type}.${name}`);
}

function inPython(text: string): Declared[] {
  const declarations = text.matchAll(/^(\w+) = keyplane\.(\w+)\("[\w-]+"((?:.|\n(?! *$| *\w+ = ))*?)\)$/gm);
  return Array.from(declarations, ([, variable, type = "", args = ""]) => ({
    type,
    inputs: namesIn(args, /(?:^|, *|,\n *)([a-z_]+)=/g).filter((name) => name !== "opts"),
    outputs: namesIn(text, new RegExp(`(?<![\\w/."-])${variable}\\.([a-z_]+)`, "g")),
  }));
}

/** The names that a pattern finds, as the schema writes them. */
function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = ""]) => name.replace(/_(\w)/g, (_, each) => each.toUpperCase()));
}

function inYaml(text: string): Declared[] {
  const { resources } = parse(text) as { resources: Record<string, { type: string; properties?: object }> };
  return Object.entries(resources).map(([name, { type, properties = {} }]) => ({
    type: type === "pulumi:providers:keyplane" ? "Provider" : type.replace("keyplane:", ""),
    inputs: Object.keys(properties),
    outputs: Array.from(text.matchAll(new RegExp(`\\$\\{${name}\\.(\\w+)\\}`, "g")), ([, output = ""]) => output),
  }));
}

const snippets = (language: "python" | "yaml") => {
  return ["docs/languages.md", "docs/_index.md", "docs/destinations.md", "docs/sealed-keys.md"].flatMap((page) =>
    snippetsOf(page, language).map(({ text }) => text),
  );
};

test("examples in Python and YAML use only names that the plugin's schema has", () => {
  const declared = [
    ...[textOf("examples/python/__main__.py"), ...snippets("python")].flatMap(inPython),
    ...[textOf("examples/yaml/Pulumi.yaml"), ...snippets("yaml")].flatMap(inYaml),
  ];
  expect(declared.length).toBeGreaterThan(8);
  expect(declared.flatMap(({ inputs }) => inputs).length).toBeGreaterThan(8);
  expect(declared.flatMap(unknownIn)).toEqual([]);
});

test("a wrong name in Python or YAML is found", () => {
  const python = 'ci = keyplane.ApiKey("ci",\n    rotate_aftr="90d",\n    verify=True)\n\npulumi.export("k", ci.kye)';
  expect(inPython(python).flatMap(unknownIn)).toEqual(["ApiKey.rotateAftr", "ApiKey.kye"]);
  const yaml = `resources: { ci: { type: keyplane:ApiKey, properties: { verfy: true } } }\noutputs: { k: "\${ci.kye}" }`;
  expect(inYaml(yaml).flatMap(unknownIn)).toEqual(["ApiKey.verfy", "ApiKey.kye"]);
});

test("the documents install the plugin in the version of the package", () => {
  const documents = filesBelow().filter((path) => path.endsWith(".md"));
  const versions = documents.flatMap((path) => {
    const found = textOf(path).matchAll(/(?:keyplane@|keyplane v|pulumi-resource-keyplane-v)(\d+\.\d+\.\d+)/g);
    return Array.from(found, ([text, each]) => ({ path, text, isCurrent: each === version }));
  });
  expect(versions.length).toBeGreaterThan(5);
  expect(versions.filter(({ isCurrent }) => !isCurrent)).toEqual([]);
});
