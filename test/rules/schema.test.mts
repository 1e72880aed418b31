import { expect, test } from "vitest";
import { resourceTypes } from "../../provider/resources/all.js";
import type { FieldRule } from "../../provider/schema/fields.js";
import { SETTINGS } from "../../provider/settings/settings.js";
import { textOf } from "./source-files.js";

const { renderSchema } = await import(new URL("../../scripts/schema/render.mjs", import.meta.url).href);
const { LEFT_OUT } = await import(new URL("../../scripts/schema/differences.mjs", import.meta.url).href);

interface Property {
  readonly description: string;
  readonly secret?: true;
  readonly default?: unknown;
  readonly defaultInfo?: unknown;
}

type Properties = Readonly<Record<string, Property>>;

interface Resource {
  readonly description: string;
  readonly properties: Properties;
  readonly required: readonly string[];
  readonly inputProperties: Properties;
  readonly requiredInputs?: readonly string[];
}

interface PulumiFunction {
  readonly description: string;
  readonly inputs: { readonly properties: Properties };
  readonly outputs: { readonly properties: Properties };
}

interface Schema {
  readonly config: { readonly variables: Properties };
  readonly types: Readonly<Record<string, { readonly description: string; readonly properties: Properties }>>;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly functions: Readonly<Record<string, PulumiFunction>>;
}

const committed = textOf("provider/plugin/schema.json");
const schema = JSON.parse(committed) as Schema;
const resources = Object.entries(schema.resources);
const functions = Object.entries(schema.functions);

/** The properties of every kind, with the names of their owners. */
const properties = [
  ...Object.entries(schema.config.variables).map(([name, property]) => [`config.${name}`, property] as const),
  ...[
    ...Object.entries(schema.types).map(([owner, { properties }]) => [owner, properties] as const),
    ...resources.flatMap(([owner, { properties, inputProperties }]) => [
      [owner, properties] as const,
      [owner, inputProperties] as const,
    ]),
    ...functions.flatMap(([owner, { inputs, outputs }]) => [
      [owner, inputs.properties] as const,
      [owner, outputs.properties] as const,
    ]),
  ].flatMap(([owner, found]) =>
    Object.entries(found).map(([name, property]) => [`${owner}.${name}`, property] as const),
  ),
];

const nameIn = (token: string): string => token.replace("keyplane:index:", "");

/** The fields that the provider has for a resource of the schema. */
function fieldsOf(name: string): Readonly<Record<string, FieldRule>> {
  return resourceTypes[name as keyof typeof resourceTypes].fields;
}

test("provider/plugin/schema.json is generated (after a change, run `npm run build:schema`)", () => {
  expect(committed).toBe(renderSchema({ resourceTypes, settings: SETTINGS }));
});

test("the inputs of a resource in the schema are exactly its fields in the provider", () => {
  expect(resources.map(([token]) => nameIn(token))).toEqual(["ApiKey", "RotatingApiKey", "ProjectReady"]);
  for (const [token, { inputProperties, requiredInputs = [] }] of resources) {
    const name = nameIn(token);
    const fields = Object.entries(fieldsOf(name)).filter(([field, rule]) => {
      return !rule.internal && !(field in LEFT_OUT) && !(`${name}Args.${field}` in LEFT_OUT);
    });
    expect(Object.keys(inputProperties).sort()).toEqual(fields.map(([field]) => field).sort());
    expect(requiredInputs).toEqual(fields.flatMap(([field, rule]) => (rule.required ? [field] : [])));
  }
});

test("an output that a resource does not always have is not required", () => {
  for (const [token, { properties, required }] of resources) {
    const { canBeAbsent = [] } = resourceTypes[nameIn(token) as "ApiKey"];
    expect(Object.keys(properties)).toEqual(expect.arrayContaining([...canBeAbsent, ...required]));
    expect(required.filter((name) => canBeAbsent.includes(name))).toEqual([]);
  }
});

test("the schema marks every property that holds a secret", () => {
  const secret = properties.flatMap(([place, property]) => (property.secret ? [place] : []));
  expect([...new Set(secret)].sort()).toEqual([
    "config.apiKey",
    "config.importKeys",
    "keyplane:index:Adoption.key",
    "keyplane:index:ApiKey.key",
    "keyplane:index:RotatingApiKey.adopt",
    "keyplane:index:RotatingApiKey.key",
    "keyplane:index:RotatingApiKey.previousKey",
  ]);
});

test("the schema declares no default, because an SDK would copy it into the state", () => {
  expect(properties.filter(([, each]) => each.default !== undefined || each.defaultInfo !== undefined)).toEqual([]);
});

test("no description has words that exist only in TypeScript", () => {
  const described = [
    ...properties.map(([place, { description }]) => [place, description] as const),
    ...[...Object.entries(schema.types), ...resources, ...functions].map(([place, { description }]) => {
      return [place, description.split("{{% examples %}}")[0]?.trim() ?? ""] as const;
    }),
  ];
  const wrong = described.filter(([, text]) => {
    return text === "" || /`\w+Args`|`null`|undefined|\{@|Promise|AbortSignal|Output`/.test(text);
  });
  expect(wrong).toEqual([]);
});

/** The languages in which each example must be; TypeScript programs use the npm package. */
const languages = ["python", "go", "csharp", "java", "yaml"];

test("every resource and function has an example in each language, in the form that generated SDKs can filter", () => {
  for (const [token, { description }] of [...resources, ...functions]) {
    const examples = [...description.matchAll(/\{\{% example %\}\}\n### .+\n([\s\S]*?)\{\{% \/example %\}\}/g)];
    expect(examples, token).not.toEqual([]);
    for (const [, text = ""] of examples) {
      expect([...text.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)).toEqual(languages);
    }
  }
});
