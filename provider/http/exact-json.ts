/** Maximum number of values in an answer. A value can take 30 times the memory of its text. */
const MAX_VALUES = 1_000_000;

/** JSON with too many values. The message never quotes the text. */
export class TooManyValues extends Error {}

/**
 * Parses JSON, with integers that a double cannot represent as strings: a changed id identifies something else. Throws
 * a `SyntaxError` if the text is not JSON, and `TooManyValues`. Takes time in proportion to the text, whatever it is,
 * because deadlines and Ctrl+C wait meanwhile.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(withExactIntegers(text));
}

/** Quotes the integers that are not safe. Reads each character once, except in numbers. */
function withExactIntegers(json: string): string {
  const parts: string[] = [];
  let [copied, values] = [0, 1];
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === "," || char === "[" || char === "{") {
      if (++values > MAX_VALUES) throw new TooManyValues("too many values");
    } else if (char === "-" || isDigit(char)) {
      const end = endOfNumber(json, at);
      const token = json.slice(at, end);
      if (end - at >= 16 && INTEGER.test(token) && !Number.isSafeInteger(Number(token))) {
        parts.push(json.slice(copied, at), '"', token, '"');
        copied = end;
      }
      at = end - 1;
    }
  }
  return copied === 0 ? json : parts.join("") + json.slice(copied);
}

/** Where the string that begins here ends; the end of the text if it does not. */
function endOfString(json: string, start: number): number {
  for (let end = start; ; ) {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
    let backslashes = 0;
    while (json[end - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1;
  while (isDigit(json[end]) || NUMBER.includes(json[end] ?? "?")) end++;
  return end;
}

/** What a number contains besides digits. */
const NUMBER = "+-.eE";

const INTEGER = /^-?\d+$/;

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= "0" && char <= "9";
