/** The categories of the Pulumi Registry. */
const CATEGORIES = ["cloud", "database", "infrastructure", "monitoring", "network", "utility", "vcs"];

const PRIMITIVES = ["boolean", "integer", "number", "string"];
const NAME = /^[a-zA-Z][-a-zA-Z0-9_]*$/;
const TOKEN = /^[a-zA-Z][-a-zA-Z0-9_]*:[a-zA-Z][a-zA-Z0-9._/-]*:[a-zA-Z][a-zA-Z0-9._/]*$/;

/** Names of properties that SDKs or the engine use for themselves. */
const RESERVED = ["id", "urn", "pulumi"];

/** What the metaschema of Pulumi allows at each place. Others would be ignored, or refused. */
const MEMBERS = {
  package:
    "name displayName version description keywords homepage license attribution repository logoUrl pluginDownloadURL " +
    "publisher namespace meta config types provider resources functions language",
  property:
    "type $ref items additionalProperties oneOf discriminator plain description const default defaultInfo " +
    "deprecationMessage language secret replaceOnChanges willReplaceOnChanges",
  resource:
    "description type properties required language inputProperties requiredInputs stateInputs aliases " +
    "deprecationMessage isComponent isOverlay overlaySupportedLanguages methods listInputs",
  function:
    "description inputs outputs returnType multiArgumentInputs deprecationMessage language plain isOverlay " +
    "overlaySupportedLanguages",
  object: "type description properties required language isOverlay overlaySupportedLanguages",
};
const ALLOWED = Object.fromEntries(Object.entries(MEMBERS).map(([place, names]) => [place, new Set(names.split(" "))]));

/**
 * What Pulumi or its Registry would refuse in a schema, in sentences.
 *
 * @param {Record<string, any>} schema - The schema.
 * @param {string} version - The version of the package.
 */
export function flawsOfSchema(schema, version) {
  const { types = {}, resources = {}, functions = {}, provider = {}, config = {} } = schema;
  const context = { types, name: schema.name };
  return [
    ...flawsOfPackage(schema, version),
    ...tokensIn({ ...types, ...resources, ...functions }, schema.name),
    ...Object.entries(types).flatMap(([token, type]) => flawsOfObject(token, type, context)),
    ...flawsOfProperties("config", config.variables, context),
    ...flawsOfResource("provider", provider, context),
    ...Object.entries(resources).flatMap(([token, each]) => flawsOfResource(token, each, context)),
    ...Object.entries(functions).flatMap(([token, each]) => flawsOfFunction(token, each, context)),
  ];
}

function flawsOfPackage(schema, version) {
  const { name = "", description = "", keywords = [], homepage, repository, logoUrl, license, displayName } = schema;
  const categories = keywords
    .filter((each) => each.startsWith("category/"))
    .map((each) => each.slice("category/".length));
  return [
    ...unknownMembers("the schema", schema, ALLOWED.package),
    ...(NAME.test(name) ? [] : ["name must begin with a letter, and have only letters, digits, - and _"]),
    ...(displayName ? [] : ["displayName is missing"]),
    ...(license ? [] : ["license is missing"]),
    ...(description.toLowerCase().includes(name.toLowerCase()) ? [] : [`description must contain ${name}`]),
    ...(categories.length === 1 && CATEGORIES.includes(categories[0])
      ? []
      : [`keywords must have one of ${CATEGORIES.map((each) => `category/${each}`).join(", ")}`]),
    ...(keywords.includes("kind/native") ? [] : ["keywords must have kind/native"]),
    ...Object.entries({ homepage, repository, logoUrl }).flatMap(([member, value]) => {
      return value === undefined || /^https:\/\//.test(value) ? [] : [`${member} must begin with https://`];
    }),
    ...(schema.version === version ? [] : [`version must be ${version}`]),
    ...["nodejs", "python", "go", "csharp", "java"]
      .filter((each) => schema.language?.[each] === undefined)
      .map((each) => {
        return `language has no settings for ${each}`;
      }),
  ];
}

function tokensIn(members, name) {
  return Object.keys(members).flatMap((token) => {
    return TOKEN.test(token) && token.startsWith(`${name}:`) ? [] : [`${token} must have the form ${name}:MODULE:NAME`];
  });
}

function flawsOfResource(place, resource, context) {
  const { description, properties = {}, required, inputProperties = {}, requiredInputs, listInputs } = resource;
  return [
    ...unknownMembers(place, resource, ALLOWED.resource),
    ...(description ? [] : [`${place} has no description`]),
    ...missingIn(place, required, properties),
    ...missingIn(`${place} inputs`, requiredInputs, inputProperties),
    ...flawsOfProperties(place, properties, context),
    ...flawsOfProperties(`${place} inputs`, inputProperties, context),
    ...flawsOfProperties(`${place} listInputs`, listInputs?.properties, context),
    ...[...Object.keys(properties), ...Object.keys(inputProperties)]
      .filter((each) => RESERVED.includes(each))
      .map((each) => {
        return `${place}.${each} has a name that Pulumi uses`;
      }),
  ];
}

function flawsOfFunction(token, declared, context) {
  return [
    ...unknownMembers(token, declared, ALLOWED.function),
    ...(declared.description ? [] : [`${token} has no description`]),
    ...["inputs", "outputs"].flatMap((side) => {
      const { properties, required } = declared[side] ?? {};
      const place = `${token} ${side}`;
      return [...missingIn(place, required, properties), ...flawsOfProperties(place, properties, context)];
    }),
  ];
}

function flawsOfObject(place, type, context) {
  return [
    ...unknownMembers(place, type, ALLOWED.object),
    ...(type.type === "object" ? [] : [`${place} must have the type "object"`]),
    ...(type.description ? [] : [`${place} has no description`]),
    ...missingIn(place, type.required, type.properties),
    ...flawsOfProperties(place, type.properties, context),
  ];
}

function flawsOfProperties(place, properties = {}, context) {
  return Object.entries(properties).flatMap(([name, property]) => {
    const at = `${place}.${name}`;
    return [
      ...(/^[a-z_][a-zA-Z0-9_]*$/.test(name) ? [] : [`${at} has no name that all languages allow`]),
      ...(property.description ? [] : [`${at} has no description`]),
      ...flawsOfType(at, property, context),
    ];
  });
}

function flawsOfType(place, type, context) {
  const others = unknownMembers(place, type, ALLOWED.property);
  if (type.$ref !== undefined) {
    const token = type.$ref.replace(/^#\/types\//, "");
    const isKnown = /^pulumi\.json#\/(Any|Archive|Asset|Json)$/.test(type.$ref) || Object.hasOwn(context.types, token);
    return isKnown ? others : [...others, `${place} refers to ${type.$ref}, which the schema does not have`];
  }
  if (type.oneOf) return [...others, ...type.oneOf.flatMap((each) => flawsOfType(place, each, context))];
  if (type.type === "array") {
    return type.items
      ? [...others, ...flawsOfType(`${place}[]`, type.items, context)]
      : [...others, `${place} has no items`];
  }
  if (type.type === "object") {
    const { additionalProperties } = type;
    return additionalProperties ? [...others, ...flawsOfType(`${place}{}`, additionalProperties, context)] : others;
  }
  return PRIMITIVES.includes(type.type) ? others : [...others, `${place} has the unknown type ${type.type}`];
}

function missingIn(place, required = [], properties = {}) {
  return required
    .filter((name) => !(name in properties))
    .map((name) => `${place} requires ${name}, which it does not have`);
}

function unknownMembers(place, object, allowed) {
  return Object.keys(object)
    .filter((name) => !allowed.has(name))
    .map((name) => `${place} has ${name}, which Pulumi does not know`);
}
