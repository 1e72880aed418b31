import { join } from "node:path";
import ts from "typescript";
import { root, textOf } from "./source-files";

/** A fenced block in a document or in a comment. */
export interface Snippet {
  /** The path and line of its first line. */
  readonly place: string;
  readonly text: string;
  readonly language: Language;
}

type Language = "sh" | "ts" | "js" | "python" | "yaml";

/** The fenced blocks of one language in a file, without the stars of a comment. */
export function snippetsOf(path: string, language: Language): Snippet[] {
  const lines = textOf(path).split("\n");
  const bare = lines.map((line) => (path.endsWith(".ts") ? line.replace(/^\s*\* ?/, "") : line));
  return bare.flatMap((line, index) => {
    if (line.trim() !== `\`\`\`${language}`) return [];
    const end = bare.findIndex((each, at) => at > index && each.trim() === "```");
    return [{ place: `${path}:${index + 2}`, text: bare.slice(index + 1, end).join("\n"), language }];
  });
}

/** How a program is loaded: a default project has CommonJS, and `"type": "module"` ES modules. */
export type Modules = "CommonJS" | "ES modules";

const LETTERS = { CommonJS: "c", "ES modules": "m" };

/** Packages of the documents' programs that are not installed here. `npm run test:compat` checks programs with them. */
const FOREIGN = ["@pulumi/aws", "@pulumi/github", "@pulumi/kubernetes", "@pulumiverse/vercel"];

/**
 * The compiler's errors in snippets. Each snippet is a separate program beside the examples. Programs in JavaScript have
 * no types, so only their syntax is checked.
 */
export function typeErrorsOf(snippets: readonly Snippet[], modules: Modules): string[] {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config.compilerOptions;
  const others = { composite: false, noUnusedLocals: false, allowJs: true };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config, ...others }, root);
  const folder = join(root, "examples", "quickstart");
  const foreign = join(folder, "foreign.d.ts");
  const texts = new Map([[foreign, FOREIGN.map((name) => `declare module "${name}";`).join("\n")]]);
  const byFile = new Map(
    snippets.map((each, at) => [join(folder, `snippet-${at}.${LETTERS[modules]}${each.language}`), each]),
  );
  for (const [file, { text }] of byFile) texts.set(file, text);
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  host.getSourceFile = (file, version, ...rest) => {
    const text = texts.get(file);
    return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version);
  };
  const program = ts.createProgram([...texts.keys()], { ...options, noEmit: true }, host);
  return [...byFile].flatMap(([file, { place }]) => {
    const source = program.getSourceFile(file);
    const found = source ? [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)] : [];
    return found.map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}
