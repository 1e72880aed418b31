import { join } from "node:path";
import ts from "typescript";
import { root, textOf } from "./source-files";

/** A fenced block in a document or in a comment. */
export interface Snippet {
  /** The path and line of its first line. */
  readonly place: string;
  readonly text: string;
}

/** The fenced blocks of one language in a file, without the stars of a comment. */
export function snippetsOf(path: string, language: "sh" | "ts" | "python" | "yaml"): Snippet[] {
  const lines = textOf(path).split("\n");
  const bare = lines.map((line) => (path.endsWith(".ts") ? line.replace(/^\s*\* ?/, "") : line));
  return bare.flatMap((line, index) => {
    if (line.trim() !== `\`\`\`${language}`) return [];
    const end = bare.findIndex((each, at) => at > index && each.trim() === "```");
    return [{ place: `${path}:${index + 2}`, text: bare.slice(index + 1, end).join("\n") }];
  });
}

/** The compiler's errors in snippets. Each snippet is a separate program beside the examples. */
export function typeErrorsOf(snippets: readonly Snippet[]): string[] {
  const config = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile).config.compilerOptions;
  const { options } = ts.convertCompilerOptionsFromJson({ ...config, composite: false, noUnusedLocals: false }, root);
  const byFile = new Map(snippets.map((each, at) => [join(root, "examples", "quickstart", `snippet-${at}.mts`), each]));
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => byFile.has(file) || fileExists(file);
  host.readFile = (file) => byFile.get(file)?.text ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const snippet = byFile.get(file);
    return snippet ? ts.createSourceFile(file, snippet.text, version) : getSourceFile(file, version, ...rest);
  };
  const program = ts.createProgram([...byFile.keys()], { ...options, noEmit: true }, host);
  return [...byFile].flatMap(([file, { place }]) => {
    const source = program.getSourceFile(file);
    const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : [];
    return found.map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}
