import { readFileSync } from "node:fs";
import { readSettings } from "../release/settings.mjs";
import { LEFT_OUT, PLUGIN_SETTINGS, PUBLIC, SECRETS, TEXTS, WRITE_ONLY } from "./differences.mjs";
import { describe, propertiesOf, TYPES } from "./doc-comments.mjs";
import { examplesOf } from "./examples.mjs";
import { languagesOf, packageOf } from "./package.mjs";

/** The resources, with the file of their SDK class. */
const RESOURCES = {
  ApiKey: "sdk/nodejs/api-key.ts",
  RotatingApiKey: "sdk/nodejs/rotating-api-key.ts",
  ProjectReady: "sdk/nodejs/project-ready.ts",
};

/** The functions: the files of their comment and of their arguments, and the record or list of records they return. */
const FUNCTIONS = {
  getApiKeys: { file: "api-keys", args: "GetApiKeysArgs", items: "ApiKeyRecord" },
  getApiKey: { file: "api-keys", args: "GetApiKeyArgs", item: "ApiKeyRecord" },
  getProjects: { file: "projects", args: "GetProjectsArgs", items: "Project" },
  getProject: { file: "projects", args: "GetProjectArgs", item: "Project" },
  getOperations: { file: "operations", args: "GetOperationsArgs", items: "Operation" },
  getOperation: { file: "operations", args: "GetOperationArgs", item: "Operation" },
  waitForOperations: { file: "operations", args: "WaitForOperationsArgs", items: "Operation" },
};

/**
 * Renders the schema from the resource types and the settings of the provider, from the doc comments, and from the names
 * and addresses in scripts/release/names.json.
 */
export function renderSchema({ resourceTypes, settings, release = readSettings() }) {
  const variables = configOf(settings);
  const provider = {
    description: "An account of the service. Use an explicit provider for each further account.",
    properties: variables,
    inputProperties: variables,
  };
  const schema = {
    ...packageOf(release),
    language: languagesOf(release),
    config: { variables },
    types: mapOf(TYPES, ({ name, path }, source) => [token(name), typeOf(path, source)]),
    provider,
    resources: mapOf(RESOURCES, (path, name) => [token(name), resourceOf(resourceTypes[name], path)]),
    functions: mapOf(FUNCTIONS, (source, name) => [token(name), functionOf(name, source)]),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/**
 * The settings, described by docs/configuration.md. No environment variable is declared as the source of a value, because
 * an SDK would copy the value into the state. The plugin reads the environment itself.
 */
function configOf(settings) {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const rows = page.matchAll(/^\| `keyplane:(\w+)` .*\| (.+?) +\|$/gm);
  const texts = Object.fromEntries(Array.from(rows, ([, name, text]) => [name, text.replace(/: see \[.*$/, "")]));
  const described = mapOf(settings, ({ env, fallback }, name) => {
    if (texts[name] === undefined) throw new Error(`docs/configuration.md has no row for keyplane:${name}`);
    const schema = { type: /^\d+$/.test(fallback ?? "") ? "integer" : "string" };
    const text = `${texts[name]}. Without it, the environment variable \`${env}\` applies.`;
    return [name, { schema, text, ...(fallback && fallback !== "none" && { defaultsTo: `\`${fallback}\`` }) }];
  });
  return mapOf({ ...described, ...PLUGIN_SETTINGS }, (property, name) => {
    return LEFT_OUT[name] ? undefined : [name, propertyOf(`settings.${name}`, property)];
  });
}

function resourceOf({ name, fields, outputs: known, canBeAbsent = [], onlyWith = {} }, path) {
  const documented = propertiesOf(path, `${name}Args`);
  const inputs = inputsOf(name, fields, documented);
  const outputs = {
    ...Object.fromEntries(Object.entries(inputs).filter(([field]) => !WRITE_ONLY.includes(field))),
    ...mapOf(propertiesOf(path, name), (property, output) => [output, propertyOf(`${name}.${output}`, property)]),
  };
  const requiredInputs = Object.keys(inputs).filter((field) => fields[field]?.required);
  const sometimes = [canBeAbsent, ...Object.values(onlyWith)].flat();
  const always = [...requiredInputs, ...known.filter((output) => !sometimes.includes(output))];
  return {
    description: `${describe(path, name)}${aboutInputs(path, name)}${examplesOf(name)}`,
    properties: outputs,
    required: Object.keys(outputs).filter((output) => always.includes(output)),
    inputProperties: mapOf(inputs, (property, field) => {
      return [field, { ...property, ...(fields[field]?.change === "replace" && { willReplaceOnChanges: true }) }];
    }),
    ...(requiredInputs.length > 0 && { requiredInputs }),
    listInputs: {
      properties: mapOf(listArgsOf(fields), (property, input) => [input, propertyOf(`list.${input}`, property)]),
    },
  };
}

/** How a list of what exists can be limited: keys and projects are in an organization or in the account itself. */
function listArgsOf({ organizationId }) {
  return organizationId === undefined
    ? propertiesOf("provider/functions/projects.ts", "GetProjectsArgs")
    : propertiesOf("provider/functions/api-keys.ts", "GetApiKeysArgs");
}

/** What a doc comment says about all inputs of a resource. */
function aboutInputs(path, name) {
  return describe(path, `${name}Args`).replace(/^The inputs of [^.]+\./, "");
}

function inputsOf(name, fields, documented) {
  const wanted = Object.keys(fields).filter((field) => {
    return !fields[field].internal && !LEFT_OUT[field] && !LEFT_OUT[`${name}Args.${field}`];
  });
  for (const field of wanted) {
    if (documented[field] === undefined) throw new Error(`${name}Args has no comment on the field ${field}`);
  }
  for (const field of Object.keys(documented)) {
    if (fields[field] === undefined) throw new Error(`${name}Args has ${field}, which is not a field of the resource`);
  }
  return mapOf(documented, (property, field) => {
    return wanted.includes(field) ? [field, propertyOf(`${name}Args.${field}`, property)] : undefined;
  });
}

function functionOf(name, { file, args, item, items }) {
  const inputs = args === undefined ? {} : propertiesOf(`provider/functions/${file}.ts`, args);
  const required = requiredIn(inputs);
  const list = items && { type: "array", items: { $ref: `#/types/${token(TYPES[items].name)}` } };
  const { properties, required: always } = item
    ? typeOf(TYPES[item].path, item)
    : { properties: { items: { ...list, description: "What was found." } }, required: ["items"] };
  return {
    description: `${textsOf(name).text ?? describe(`sdk/nodejs/data-sources/${file}.ts`, name)}${examplesOf(name)}`,
    inputs: {
      type: "object",
      properties: mapOf(inputs, (property, input) => [input, propertyOf(`${name}.${input}`, property)]),
      ...(required.length > 0 && { required }),
    },
    outputs: { type: "object", properties, required: always },
  };
}

/** A type of the schema, from an interface. What can be `null` there is optional here. */
function typeOf(path, source) {
  const properties = propertiesOf(path, source);
  return {
    description: describe(path, source),
    type: "object",
    properties: mapOf(properties, (property, name) => [name, propertyOf(`${source}.${name}`, property)]),
    required: requiredIn(properties),
  };
}

function requiredIn(properties) {
  return Object.keys(properties).filter((name) => !properties[name].isOptional);
}

function propertyOf(place, property) {
  const { schema, text, choices, defaultsTo } = { ...property, ...textsOf(place) };
  if (text === "") throw new Error(`${place} has no comment`);
  const choice = choices && `Allowed: ${choices.map((each) => JSON.stringify(each)).join(", ")}.`;
  const fallback = defaultsTo && `Defaults to ${defaultsTo}.`;
  return {
    ...schema,
    description: [text, choice, fallback].filter((part) => part).join(" "),
    ...(SECRETS.includes(place.split(".").at(-1)) && !PUBLIC.includes(place) && { secret: true }),
  };
}

function textsOf(place) {
  return TEXTS[place] ?? {};
}

function token(name) {
  return `keyplane:index:${name}`;
}

/** An object with the entries that `change` returns for the values of another; without those that are undefined. */
function mapOf(object, change) {
  return Object.fromEntries(Object.entries(object).flatMap(([name, value]) => [change(value, name)].filter(Boolean)));
}
