import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** Where to search. */
export interface SecretSearch {
  /** Files, and folders with their content. Links are not followed. File names are searched too. */
  readonly paths?: readonly string[];
  /** Texts, such as command output, by the name to use in findings. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A place where a secret was found. Never contains the secret. */
export interface SecretFinding {
  /** The name of the secret. */
  readonly secret: string;
  /** The file, or the name of the text. */
  readonly place: string;
  /** The encoding of the secret in that place. */
  readonly form: string;
}

interface Pattern {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

// Shorter texts can match by chance.
const SHORTEST = 8;

/**
 * Searches files and texts for secrets: raw, in base64 and base64url at any alignment, in hex, URL-encoded, and
 * JSON-escaped once or twice.
 * @param secrets The secrets by name. Each must have at least 8 characters.
 * @returns the findings, at most one per secret, encoding and place.
 */
export async function searchSecrets(
  secrets: Readonly<Record<string, string>>,
  where: SecretSearch,
): Promise<SecretFinding[]> {
  const patterns = Object.entries(secrets).flatMap(([name, secret]) => patternsOf(name, secret));
  const findings = Object.entries(where.texts ?? {}).flatMap(([name, text]) =>
    findIn(Buffer.from(text), name, patterns),
  );
  for (const path of where.paths ?? []) {
    for await (const file of filesUnder(path)) {
      // Relative to the given folder, because its own name belongs to the caller.
      const inName = findIn(Buffer.from(relative(path, file)), `the name of a file in ${path}`, patterns);
      findings.push(
        ...inName,
        ...findIn(await readFile(file), inName.length > 0 ? `a file in ${path}` : file, patterns),
      );
    }
  }
  return findings;
}

function findIn(bytes: Buffer, place: string, patterns: readonly Pattern[]): SecretFinding[] {
  const found = patterns.filter((pattern) => bytes.includes(pattern.bytes));
  return found.map(({ secret, form }) => ({ secret, place, form }));
}

function patternsOf(name: string, secret: string): Pattern[] {
  if (secret.length < SHORTEST) throw new Error(`secret ${name} is too short to be searched for`);
  const hex = Buffer.from(secret).toString("hex");
  const json = JSON.stringify(secret).slice(1, -1);
  const forms: [form: string, text: string][] = [
    ["raw", secret],
    ["JSON-escaped", json],
    ["JSON-escaped twice", JSON.stringify(json).slice(1, -1)],
    ["JSON-escaped for HTML", json.replace(/[<>&]/g, unicodeEscape)],
    ["URL-encoded", encodeURIComponent(secret)],
    ["form-encoded", new URLSearchParams([["", secret]]).toString().slice(1)],
    ["hex", hex],
    ["hex", hex.toUpperCase()],
    ...[0, 1, 2].flatMap((alignment): [string, string][] => [
      ["base64", base64At(secret, alignment, "base64")],
      ["base64url", base64At(secret, alignment, "base64url")],
    ]),
  ];
  const distinct = new Map(forms.toReversed().map(([form, text]) => [text, form]));
  return [...distinct].map(([text, form]) => ({ secret: name, form, bytes: Buffer.from(text) }));
}

/** The base64 characters that depend only on the secret, if `alignment` bytes precede it. */
function base64At(secret: string, alignment: number, encoding: "base64" | "base64url"): string {
  const bytes = Buffer.concat([Buffer.alloc(alignment), Buffer.from(secret)]);
  const from = Math.ceil((alignment * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(from, to);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

async function* filesUnder(path: string): AsyncGenerator<string> {
  if (!(await stat(path)).isDirectory()) {
    yield path;
    return;
  }
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name);
  }
}
