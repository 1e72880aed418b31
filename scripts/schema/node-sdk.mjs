// Renders the SDK of the plugin for Node from the schema. `pulumi package gen-sdk` generates one, too. This one is part of
// the npm package, keeps secrets out of debug messages, and lets the plugin refuse misspelled inputs.
import { isDeepStrictEqual } from "node:util";
import { interfaceOf, isRequired, sameAs, typeFor } from "./node-types.mjs";
import { commentOf, fileOf, signatureOf, wordsOf } from "./typescript.mjs";

/** @returns {Record<string, string>} The files by their names in `sdk/plugin`. */
export function renderNodeSdk(schema) {
  const resources = Object.entries(schema.resources).map(([token, resource]) => fileOfResource(token, resource));
  const modules = [...resources, fileOfProvider(schema), fileOfFunctions(schema), fileOfTypes(schema)];
  const rendered = [...modules, fileOfPackage(schema), indexOf(modules.map(({ name }) => name))];
  return Object.fromEntries(rendered.map(({ name, text }) => [name, text]));
}

function fileOfPackage({ name, version, pluginDownloadURL }) {
  const members = Object.entries({ name, version, pluginDownloadURL }).filter(([, value]) => value !== undefined);
  const lines = members.map(([member, value]) => `  ${member}: ${JSON.stringify(value)},`);
  const text = ["/** What Pulumi needs to find the plugin. */", "export const PACKAGE = {", ...lines, "};"];
  return { name: "package.ts", text: fileOf([], [text]) };
}

function fileOfTypes({ types, resources, functions }) {
  const inputs = typesIn(Object.values(resources).map(({ inputProperties }) => inputProperties));
  const results = typesIn([
    ...Object.values(resources).map(({ properties }) => properties),
    ...Object.values(functions).map(({ outputs }) => outputs),
  ]);
  for (const names of [inputs, results]) names.push(...typesIn(names.map((name) => typeNamed(types, name))));
  const found = Object.entries(types).flatMap(([token, type]) => {
    const name = nameIn(token);
    const isRepeated = results.includes(name);
    return [
      ...(results.includes(name) ? [{ title: name, type, kind: "plain" }] : []),
      ...(inputs.includes(name) ? [{ title: `${name}Args`, type, kind: "input", of: isRepeated && name }] : []),
    ];
  });
  const blocks = found.map(({ title, type, kind, of }) => {
    if (of) return sameAs(title, `The form of \`${of}\` whose members can be outputs of resources.`, `AsInputs<${of}>`);
    return interfaceOf(title, type.description, type, kind);
  });
  const imports = [
    ...(inputs.length > 0 ? ['import type * as pulumi from "@pulumi/pulumi";'] : []),
    ...(found.some(({ of }) => of) ? ['import type { AsInputs } from "./runtime";'] : []),
  ];
  return { name: "types.ts", text: fileOf(imports, blocks) };
}

function fileOfResource(token, { description, properties, required, inputProperties, requiredInputs }) {
  const title = nameIn(token);
  const args = `${title}Args`;
  const secretInputs = namesOf(inputProperties, ({ secret }) => secret);
  const secrets = namesOf(properties, ({ secret }) => secret);
  const hasSecrets = secretInputs.length > 0;
  const given = `{ ...args, ${secretInputs.map((each) => `${each}: secretOf(args.${each})`).join(", ")} }`;
  const secretOutputs = secrets.length === 0 ? "" : `, ${JSON.stringify(secrets).replaceAll(",", ", ")}`;
  const block = [
    ...commentOf(description),
    `export class ${title} extends pulumi.CustomResource implements ${args} {`,
    ...outputsOf(properties, required, inputProperties),
    "  /** Declares the resource. Its name in Pulumi is unique in the program. */",
    ...signatureOf("constructor", [
      "name: string",
      `args: ${args}${requiredInputs ? "" : " = {}"}`,
      "options: pulumi.CustomResourceOptions = {}",
    ]),
    ...(hasSecrets ? [`    const inputs = ${given};`] : []),
    `    super(TOKEN, name, inputsOf(OUTPUTS, ${hasSecrets ? "inputs" : "args"}, options), optionsOf(options${secretOutputs}));`,
    "  }",
    "",
    "  /** Reads an existing resource by its id. The plugin needs the secret of a key, as for an import. */",
    ...signatureOf(
      "static get",
      ["name: string", "id: pulumi.Input<pulumi.ID>", "options?: pulumi.CustomResourceOptions"],
      title,
    ),
    `    return new ${title}(name, ${requiredInputs ? `{} as ${args}` : "{}"}, { ...options, id });`,
    "  }",
    "",
    ...isInstanceOf(title, "TOKEN"),
    "}",
    "",
    `register(TOKEN, (name, urn) => new ${title}(name, ${requiredInputs ? `{} as ${args}` : "{}"}, { urn }));`,
  ];
  const constants = [`const TOKEN = ${JSON.stringify(token)};`, ...wordsOf("OUTPUTS", Object.keys(properties).sort())];
  const inputs = { properties: inputProperties, required: requiredInputs };
  const text = fileOf(
    [
      PULUMI,
      runtimeImport(["inputsOf", "isOfType", "optionsOf", "register", ...(hasSecrets ? ["secretOf"] : [])]),
      ...typeImport(properties, inputProperties),
    ],
    [interfaceOf(args, `The inputs of \`${title}\`.`, inputs, "input"), constants, block],
  );
  return { name: `${kebab(title)}.ts`, text };
}

function fileOfProvider({ name, provider: { description, inputProperties, properties } }) {
  // Pulumi passes the settings of a provider as texts. What is no text is JSON.
  const changed = namesOf(inputProperties, ({ secret, type }) => secret || type !== "string").sort();
  const given = changed.map((each) => {
    const { secret, type } = inputProperties[each];
    const value = secret ? `secretOf(args.${each})` : `args.${each}`;
    return `      ${each}: ${type === "string" ? value : `jsonOf(${value})`},`;
  });
  const isText = ([, { type }]) => type === "string";
  const texts = Object.fromEntries(Object.entries(properties).filter(isText));
  const block = [
    ...commentOf(description),
    "export class Provider extends pulumi.ProviderResource implements ProviderArgs {",
    ...outputsOf(texts, [], inputProperties),
    ...commentOf(
      "Declares a provider, to pass it to resources and functions in their option `provider`. Its name in Pulumi is unique in the program. Settings that are left out come from the environment.",
      "  ",
    ),
    ...signatureOf("constructor", ["name: string", "args: ProviderArgs = {}", "options: pulumi.ResourceOptions = {}"]),
    "    const inputs = {",
    "      ...args,",
    ...given,
    "    };",
    `    super(${JSON.stringify(name)}, name, inputs, optionsOf(options, ${JSON.stringify(namesOf(texts, ({ secret }) => secret))}));`,
    "  }",
    "",
    ...isInstanceOf("Provider", JSON.stringify(`pulumi:providers:${name}`)),
    "}",
    "",
    "registerProvider((name, urn) => new Provider(name, {}, { urn }));",
  ];
  const inputs = { properties: inputProperties };
  const text = fileOf(
    [PULUMI, runtimeImport(["isOfType", "jsonOf", "optionsOf", "registerProvider", "secretOf"])],
    [interfaceOf("ProviderArgs", "The settings of a `Provider`.", inputs, "input"), block],
  );
  return { name: "provider.ts", text };
}

function fileOfFunctions({ functions, types }) {
  const all = Object.entries(functions).map(([token, declared]) => functionOf(token, declared, types));
  const used = [...new Set(all.flatMap((each) => each.types))].sort(byName);
  const imports = [
    PULUMI,
    runtimeImport(["type AsInputs", "type InvokeOutputOptions", "invokeOptionsOf"]),
    `import type { ${used.join(", ")} } from "./types";`,
  ];
  const text = fileOf(
    imports,
    all.flatMap(({ blocks }) => blocks),
  );
  return { name: "functions.ts", text };
}

function functionOf(token, { description, inputs, outputs }, types) {
  const title = nameIn(token);
  const base = title[0].toUpperCase() + title.slice(1);
  const hasInputs = Object.keys(inputs.properties).length > 0;
  const empty = inputs.required ? "" : " = {}";
  const quoted = JSON.stringify(token);
  const given = hasInputs ? "{ ...args }" : "{}";
  const result = [`${base}Result`, `The result of \`${title}\`.`];
  const type = typeLike(types, outputs);
  const blocks = [
    ...(hasInputs
      ? [
          interfaceOf(`${base}Args`, `The arguments of \`${title}\`.`, inputs, "plain"),
          sameAs(`${base}OutputArgs`, `The arguments of \`${title}Output\`.`, `AsInputs<${base}Args>`),
        ]
      : []),
    type === undefined ? interfaceOf(...result, outputs, "plain") : sameAs(...result, type),
    [
      ...commentOf(description),
      ...signatureOf(
        `export function ${title}`,
        [...(hasInputs ? [`args: ${base}Args${empty}`] : []), "options: pulumi.InvokeOptions = {}"],
        `Promise<${base}Result>`,
      ),
      `  return pulumi.runtime.invoke(${quoted}, ${given}, invokeOptionsOf(options));`,
      "}",
    ],
    [
      ...commentOf(`The form of \`${title}\` whose arguments can be outputs of resources.`),
      ...signatureOf(
        `export function ${title}Output`,
        [...(hasInputs ? [`args: ${base}OutputArgs${empty}`] : []), "options: InvokeOutputOptions = {}"],
        `pulumi.Output<${base}Result>`,
      ),
      `  return pulumi.runtime.invokeOutput(${quoted}, ${given}, invokeOptionsOf(options));`,
      "}",
    ],
  ];
  return { blocks, types: type === undefined ? typesIn([outputs.properties]) : [type] };
}

/** The name of the type with the same properties; `undefined` if there is none. */
function typeLike(types, { properties, required = [] }) {
  const isLike = ([, type]) => isDeepStrictEqual([type.properties, type.required ?? []], [properties, required]);
  const [token] = Object.entries(types).find(isLike) ?? [];
  return token && nameIn(token);
}

/** The index, which exports everything that the modules with these names export. */
function indexOf(names) {
  const exports = names.map((name) => `export * from "./${name.replace(/\.ts$/, "")}";`);
  const comment = [
    "/**",
    " * The resources, functions and the provider of the plugin, for programs in TypeScript and JavaScript.",
    " * @module keyplane/plugin",
    " */",
  ];
  const all = [...exports, 'export type { InvokeOutputOptions } from "./runtime";'];
  const sorted = all.toSorted((one, other) => (pathIn(one) < pathIn(other) ? -1 : 1));
  return { name: "index.ts", text: fileOf([], [[...comment, ...sorted]]) };
}

const PULUMI = 'import * as pulumi from "@pulumi/pulumi";';

function runtimeImport(names) {
  return `import { ${names.toSorted(byName).join(", ")} } from "./runtime";`;
}

/** The import of the types that results and inputs refer to. */
function typeImport(results, inputs) {
  const names = [...typesIn([results]), ...typesIn([inputs]).map((name) => `${name}Args`)];
  return names.length === 0 ? [] : broken(`import type { ${names.sort(byName).join(", ")} } from "./types";`);
}

/** The properties of a type, which can have further types. */
function typeNamed(types, name) {
  return Object.entries(types).find(([token]) => nameIn(token) === name)?.[1].properties;
}

/** The names of the types that some properties refer to. */
function typesIn(properties) {
  const found = JSON.stringify(properties).matchAll(/#\/types\/\w+:\w+:(\w+)/g);
  return [...new Set(Array.from(found, ([, name]) => name))];
}

/** The outputs of a resource. One that is an input, too, has its comment from there: editors and references show it. */
function outputsOf(properties, required, inputs) {
  return Object.entries(properties).flatMap(([name, property]) => {
    const type = typeFor(property, "plain");
    const isRepeated = property.description === inputs[name]?.description;
    return [
      ...(isRepeated ? [] : commentOf(property.description, "  ")),
      `  declare readonly ${name}: pulumi.Output<${isRequired(required, name) ? type : `${type} | undefined`}>;`,
    ];
  });
}

function isInstanceOf(title, token) {
  return [
    `  /** Whether a value is a \`${title}\`, including one from another copy of this package. */`,
    `  static override isInstance(value: unknown): value is ${title} {`,
    `    return isOfType(value, ${token});`,
    "  }",
  ];
}

/** A long import in several lines, as the formatter writes it. */
function broken(line) {
  if (line.length <= 120) return [line];
  const [, head, names, tail] = /^(import (?:type )?\{) (.*) (\}.*)$/.exec(line);
  return [head, ...names.split(", ").map((name) => `  ${name},`), tail];
}

const nameIn = (token) => token.split(":").at(-1);
const pathIn = (line) => /"(.*)"/.exec(line)[1];
const kebab = (name) => name.replace(/(?<=.)([A-Z])/g, "-$1").toLowerCase();

/** The order of the linter: letter by letter, the capital one first. */
function byName(one, other) {
  const [a, b] = [one, other].map((name) => [...name.replace("type ", "")].map((each) => each.toLowerCase() + each));
  const at = a.findIndex((letter, index) => letter !== b[index]);
  return at < 0 ? a.length - b.length : a[at] < (b[at] ?? "") ? -1 : 1;
}

function namesOf(properties, pick) {
  return Object.keys(properties).filter((name) => pick(properties[name]));
}
