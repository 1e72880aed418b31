import { commentOf } from "./typescript.mjs";

const PRIMITIVES = { string: "string", boolean: "boolean", integer: "number", number: "number" };

/**
 * An interface of an SDK for Node, as lines.
 *
 * @param {string} title - Its name.
 * @param {string} description - Its comment.
 * @param {{ properties: object, required?: string[] }} object - Its properties in the schema.
 * @param {"plain" | "input"} kind - Whether its values can be outputs of resources.
 */
export function interfaceOf(title, description, { properties, required }, kind) {
  const lines = Object.entries(properties).flatMap(([name, property]) => {
    const type = typeFor(property, kind);
    const isOptional = !isRequired(required, name);
    const value = kind === "input" ? `pulumi.Input<${isOptional ? `${type} | undefined` : type}>` : type;
    const member = `${name}${isOptional ? "?" : ""}: ${value}${isOptional && kind === "plain" ? " | undefined" : ""}`;
    return [...commentOf(property.description, "  "), `  readonly ${member};`];
  });
  return [...commentOf(description), `export interface ${title} {`, ...lines, "}"];
}

/** An interface with the members of another type, and their comments. */
export function sameAs(title, description, type) {
  return [...commentOf(description), `export interface ${title} extends ${type} {}`];
}

export function isRequired(required, name) {
  return required?.includes(name) ?? false;
}

/** The TypeScript type of a property of the schema. Parts of an input can be outputs. */
export function typeFor({ type, $ref, items, additionalProperties }, kind) {
  const part = (each) => (kind === "input" ? `pulumi.Input<${typeFor(each, kind)}>` : typeFor(each, kind));
  if ($ref === "pulumi.json#/Any") return "unknown";
  if ($ref !== undefined) return referred($ref, kind);
  if (type === "array") return `${part(items)}[]`;
  if (type === "object") return `Record<string, ${part(additionalProperties)}>`;
  if (PRIMITIVES[type] === undefined) throw new Error(`the SDK for Node has no type for ${type}`);
  return PRIMITIVES[type];
}

function referred($ref, kind) {
  const [, name] = /^#\/types\/\w+:\w+:(\w+)$/.exec($ref) ?? [];
  if (name === undefined) throw new Error(`the SDK for Node has no type for ${$ref}`);
  return kind === "input" ? `${name}Args` : name;
}
