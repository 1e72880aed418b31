// The changes that a mutant can make to a source file. Each names its place: the innermost piece of the source that is
// inside `of` (the name of a function, a class, a constant or an event's listener; `Outer.inner` if two have the name)
// and has all `words` (names, literals, keywords or signs). A number among the words chooses among several such pieces.
import ts from "typescript";

const change =
  (kind) =>
  (of, ...words) => ({ kind, of, words });
const changeTo =
  (kind) =>
  (text, of, ...words) => ({ kind, of, words, text });

/** A condition holds always. */
export const always = change("always");
/** A condition holds never. */
export const never = change("never");
/** A condition is turned around. */
export const negated = change("negated");
/** An operand, an argument, an element or a property is left out. */
export const without = change("without");
/** A call is replaced by its first argument. */
export const uncalled = change("uncalled");
/** A call of a method is replaced by the object. */
export const unchained = change("unchained");
/** A statement is left out. */
export const drop = change("drop");
/** A statement is replaced by another one. */
export const instead = changeTo("drop");
/** An expression is replaced by another one. */
export const becomes = changeTo("becomes");

const { SyntaxKind } = ts;
const { PlusToken, MinusToken, AsteriskToken } = SyntaxKind;
const CONDITIONS = [SyntaxKind.AmpersandAmpersandToken, SyntaxKind.BarBarToken, SyntaxKind.QuestionQuestionToken];
const OPERATORS = new Set([...CONDITIONS, PlusToken, MinusToken, AsteriskToken]);

/** Returns the pieces of a source file that a change fits: `{ start, end, text }` each. One is right. */
export function placesOf(code, { kind, of, words, text }) {
  const file = parse(code);
  const [number] = words.filter((word) => typeof word === "number");
  const names = words.filter((word) => typeof word === "string");
  const fits = candidatesOf(file).filter(
    (one) =>
      one.kind === kind && one.path.endsWith(`.${of}`) && names.every((name) => wordsOf(one.node, file).has(name)),
  );
  const innermost = fits.filter(({ node }) => !fits.some((other) => isBelow(other.node, node)));
  const chosen = number === undefined ? innermost : innermost.slice(number - 1, number);
  return chosen.map((one) => ({ start: one.start, end: one.end, text: text ?? one.text }));
}

const candidates = new WeakMap();
const files = new Map();

function parse(code) {
  const file = files.get(code) ?? ts.createSourceFile("source.ts", code, ts.ScriptTarget.Latest, true);
  files.set(code, file);
  return file;
}

/** Returns all that can be changed in a file. */
function candidatesOf(file) {
  const known = candidates.get(file);
  if (known !== undefined) return known;
  const found = [];
  const visit = (node, path) => {
    for (const one of changesOf(node, file)) {
      found.push({ path, node, start: node.getStart(file), end: node.end, ...one });
    }
    const name = nameOf(node);
    ts.forEachChild(node, (child) => visit(child, name === undefined ? path : `${path}.${name}`));
  };
  visit(file, "");
  for (const one of found) if (one.path === "") one.path = ".";
  candidates.set(file, found);
  return found;
}

function changesOf(node, file) {
  const text = (part) => part.getText(file);
  const found = [];
  if (isStatement(node)) {
    found.push({ kind: "drop", text: "statements" in node.parent ? "" : "{}" });
  }
  if (isValue(node)) {
    const isNot = ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
    found.push({ kind: "always", text: "true" }, { kind: "never", text: "false" });
    found.push({ kind: "negated", text: isNot ? text(node.operand) : `!(${text(node)})` });
  }
  if (ts.isExpression(node) && !isOnlyName(node)) found.push({ kind: "becomes" });
  if (ts.isBinaryExpression(node) && OPERATORS.has(node.operatorToken.kind)) {
    const { left, right } = node;
    found.push({ kind: "without", node: right, start: left.end, end: right.end, text: "" });
    if (!isChain(left, node)) {
      found.push({ kind: "without", node: left, start: left.getStart(file), end: right.getStart(file), text: "" });
    }
  }
  for (const list of [
    node.arguments,
    node.elements,
    ts.isObjectLiteralExpression(node) ? node.properties : undefined,
  ]) {
    list?.forEach((item, at) => {
      const start = at > 0 && list[at + 1] === undefined ? list[at - 1].end : item.getStart(file);
      found.push({ kind: "without", node: item, start, end: list[at + 1]?.getStart(file) ?? item.end, text: "" });
    });
  }
  if (ts.isCallExpression(node)) {
    const { arguments: given, expression } = node;
    if (given.length > 0) found.push({ kind: "uncalled", text: text(given[0]) });
    if (ts.isPropertyAccessExpression(expression)) found.push({ kind: "unchained", text: text(expression.expression) });
  }
  return found;
}

function isStatement(node) {
  return ts.isStatement(node) && !ts.isBlock(node) && !ts.isFunctionDeclaration(node) && !ts.isClassDeclaration(node);
}

/** Whether a whole value stands here: a condition, an operand, an argument, an element, what is returned, ... */
function isValue(node) {
  const { parent } = node;
  if (parent === undefined || !ts.isExpression(node)) return false;
  if (ts.isForStatement(parent)) return parent.condition === node;
  if (ts.isBinaryExpression(parent)) {
    return parent.right === node || (OPERATORS.has(parent.operatorToken.kind) && !isChain(node, parent));
  }
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression !== node;
  return [
    ts.isIfStatement,
    ts.isWhileStatement,
    ts.isForOfStatement,
    ts.isConditionalExpression,
    ts.isReturnStatement,
    ts.isArrowFunction,
    ts.isVariableDeclaration,
    ts.isPropertyAssignment,
    ts.isPropertyDeclaration,
    ts.isArrayLiteralExpression,
    ts.isSpreadElement,
    ts.isSpreadAssignment,
    ts.isAwaitExpression,
    ts.isTemplateSpan,
  ].some((isHolder) => isHolder(parent));
}

/** Whether `a && b` is the left part of `a && b && c`, whose operands are three. */
function isChain(left, node) {
  return ts.isBinaryExpression(left) && left.operatorToken.kind === node.operatorToken.kind;
}

/** Whether the name is no expression: `b` in `a.b`, in `{ b: 1 }` and in `const b = 1`. */
function isOnlyName(node) {
  const { parent } = node;
  return (parent.name === node && !ts.isShorthandPropertyAssignment(parent)) || parent.propertyName === node;
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (ts.isArrowFunction(node) && ts.isCallExpression(node.parent)) {
    const [event] = node.parent.arguments;
    return ts.isStringLiteral(event) ? event.text : undefined;
  }
  const hasName = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isClassElement(node);
  if (hasName) return node.name?.getText();
  if (!ts.isVariableDeclaration(node) && !ts.isPropertyAssignment(node)) return undefined;
  const isFunction = node.initializer !== undefined && ts.isFunctionLike(node.initializer);
  const isOfFile = ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
  return isFunction || isOfFile ? node.name.getText() : undefined;
}

const words = new WeakMap();

function wordsOf(node, file) {
  const known = words.get(node);
  if (known !== undefined) return known;
  const children = node.getChildren(file);
  const own = children.length > 0 ? children.flatMap((child) => [...wordsOf(child, file)]) : [textOf(node, file)];
  words.set(node, new Set(own));
  return words.get(node);
}

function textOf(node, file) {
  return ts.isStringLiteral(node) ? node.text : node.getText(file);
}

function isBelow(node, above) {
  for (let one = node.parent; one !== undefined; one = one.parent) if (one === above) return true;
  return false;
}
