import { readFileSync } from "node:fs";
import ts from "typescript";
import { WIDE_NUMBERS } from "./differences.mjs";

/** The interfaces that are types of the schema, with their names there. */
export const TYPES = {
  PendingWork: { name: "PendingWork", path: "provider/pending-work.ts" },
  SealTo: { name: "Recipients", path: "sdk/nodejs/seal-to.ts" },
  GitHubActionsKey: { name: "GithubActionsKey", path: "sdk/nodejs/seal-to.ts" },
  KubernetesRecipient: { name: "KubernetesRecipient", path: "sdk/nodejs/seal-to.ts" },
  SealedKey: { name: "SealedKey", path: "sdk/nodejs/seal-to.ts" },
  AdoptArgs: { name: "Adoption", path: "sdk/nodejs/rotating-api-key.ts" },
  RotationWindowArgs: { name: "RotationWindow", path: "sdk/nodejs/rotation-window.ts" },
  ApiKeyRecord: { name: "ApiKeyInfo", path: "provider/api/records.ts" },
  Project: { name: "Project", path: "provider/api/records.ts" },
  Operation: { name: "Operation", path: "provider/api/records.ts" },
};

/** The text of a declaration's doc comment, with one line for each paragraph. */
export function describe(path, name) {
  return textOf(declarationIn(path, name));
}

/**
 * The properties of an interface or a class by name: the text and the default in the doc comment, the type in the
 * schema, and whether the property is optional. Includes properties of the interfaces that it extends in the same file.
 * Leaves out what is no value, such as callbacks.
 */
export function propertiesOf(path, name) {
  const declaration = declarationIn(path, name);
  const parents = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map((type) => type.expression));
  const inherited = parents.filter((parent) => ts.isIdentifier(parent) && declarationsIn(path).has(parent.text));
  return Object.assign(
    {},
    ...inherited.map((parent) => propertiesOf(path, parent.text)),
    ...declaration.members.filter(isPublicProperty).map((member) => {
      const type = typeOf(member.type, member.name.text);
      return type === undefined ? {} : { [member.name.text]: { ...type, ...commentOf(member) } };
    }),
  );
}

function isPublicProperty(member) {
  const isProperty = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member);
  return isProperty && ts.isIdentifier(member.name) && member.type !== undefined;
}

function commentOf(member) {
  const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === "default");
  const defaultsTo = tag && neutral(ts.getTextOfJSDocComment(tag.comment) ?? "");
  const isOptional = member.questionToken !== undefined || /\| null$/.test(member.type.getText());
  return { text: textOf(member), isOptional, ...(defaultsTo && { defaultsTo }) };
}

function textOf(declaration) {
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc)?.comment;
  return neutral(ts.getTextOfJSDocComment(comment) ?? "");
}

/** A text without words that exist only in TypeScript, and without line breaks inside a paragraph. */
function neutral(text) {
  return text
    .trim()
    .replace(/([^\n])\n(?=[^\n])/g, "$1 ")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/`null`/g, "absent");
}

/** The schema's type for a TypeScript type; `undefined` for what no other language can pass. */
function typeOf(node, property) {
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return typeOf(node.type, property);
  if (ts.isFunctionTypeNode(node)) return undefined;
  if (ts.isArrayTypeNode(node)) return wrap("array", "items", node.elementType, property);
  if (ts.isUnionTypeNode(node)) return typeOfUnion(node, property);
  if (ts.isLiteralTypeNode(node)) return { schema: { type: "string" }, choices: [node.literal.text] };
  if (ts.isTypeReferenceNode(node)) return typeOfReference(node, property);
  // What a class has with and without an input: in other languages, one type has both.
  if (ts.isConditionalTypeNode(node)) return typeOf(node.trueType, property);
  if (node.kind === ts.SyntaxKind.UnknownKeyword) return { schema: { $ref: "pulumi.json#/Any" } };
  if (node.kind !== ts.SyntaxKind.NumberKeyword) return { schema: { type: node.getText() } };
  return { schema: { type: WIDE_NUMBERS.includes(property) ? "number" : "integer" } };
}

function typeOfReference(node, property) {
  const { typeName, typeArguments = [] } = node;
  const name = typeName.getText();
  if (name === "pulumi.Input" || name === "pulumi.Output") return typeOf(typeArguments[0], property);
  if (name === "Record") return wrap("object", "additionalProperties", typeArguments[1], property);
  if (name === "AbortSignal") return undefined;
  if (name in TYPES) return { schema: { $ref: `#/types/keyplane:index:${TYPES[name].name}` } };
  const constraint = constraintOf(node, name);
  if (constraint !== undefined) return typeOf(constraint, property);
  throw new Error(`${property} has the type ${name}, for which the schema has no type: add it to TYPES`);
}

/** The constraint of a type parameter of the declaration around a node; `undefined` if the name is none. */
function constraintOf(node, name) {
  if (node === undefined) return undefined;
  const parameter = node.typeParameters?.find((each) => each.name.text === name);
  return parameter === undefined ? constraintOf(node.parent, name) : parameter.constraint;
}

/** An optional type is that type. A text or a list of texts is a list, because few languages have such a choice. */
function typeOfUnion(node, property) {
  const types = node.types.filter((type) => !["null", "undefined"].includes(type.getText()));
  const list = types.find((type) => type.getText().endsWith("[]"));
  const found = (list === undefined ? types : [list]).flatMap((type) => typeOf(type, property) ?? []);
  if (found.length < 2) return found[0];
  const choices = found.flatMap((each) => each.choices ?? []);
  if (choices.length === found.length) return { schema: { type: "string" }, choices };
  throw new Error(`${property} has the type ${node.getText()}, for which the schema has no type`);
}

function wrap(type, member, node, property) {
  return { schema: { type, [member]: typeOf(node, property).schema } };
}

function declarationIn(path, name) {
  const declaration = declarationsIn(path).get(name);
  if (declaration === undefined) throw new Error(`${path} does not declare ${name}`);
  return declaration;
}

const files = new Map();

/** The declarations of a source file by name. */
function declarationsIn(path) {
  const known = files.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const declarations = new Map(statements.flatMap((each) => (each.name === undefined ? [] : [[each.name.text, each]])));
  files.set(path, declarations);
  return declarations;
}
