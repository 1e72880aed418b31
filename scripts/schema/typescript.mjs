// Parts of TypeScript files, as lines in the form that the formatter writes.

const WIDTH = 120;

/** A file from its imports and blocks of lines. */
export function fileOf(imports, blocks) {
  const head = "// Generated from provider/plugin/schema.json by `npm run build:schema`. Do not edit.";
  const parts = [[head, ...imports], ...blocks].map((lines) => lines.join("\n"));
  return `${parts.join("\n\n")}\n`;
}

/** The doc comment for a description of the schema, without its examples, which are in other languages. */
export function commentOf(description, indent = "") {
  const text = description.split("{{% examples %}}")[0].trim().replaceAll("*/", "*\\/");
  if (`${indent}/** ${text} */`.length <= WIDTH && !text.includes("\n")) return [`${indent}/** ${text} */`];
  const lines = text.split("\n").flatMap((line) => wrap(line, WIDTH - indent.length - " * ".length));
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** The first line of a function or a method, or several if it is too long. */
export function signatureOf(name, parameters, result) {
  const indent = name.startsWith("export") ? "" : "  ";
  const tail = `)${result === undefined ? "" : `: ${result}`} {`;
  const line = `${indent}${name}(${parameters.join(", ")}${tail}`;
  if (line.length <= WIDTH) return [line];
  return [`${indent}${name}(`, ...parameters.map((each) => `${indent}  ${each},`), `${indent}${tail}`];
}

/** A constant that is a text of words. */
export function wordsOf(name, words) {
  const text = words.join(" ");
  const line = `const ${name} = "${text}";`;
  if (line.length <= WIDTH) return [line];
  const lines = wrap(text, WIDTH - "   ``".length);
  return [`const ${name} =`, ...lines.map((each, at) => (lines[at + 1] ? `  "${each} " +` : `  "${each}";`))];
}

function wrap(text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
