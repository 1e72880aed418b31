import { LETTERS_AND_DIGITS, type Piece, RANDOM, runsOf, setOf } from "./runs";

/** What the random characters of a key take at least in base64, in hex and as escapes. */
const QUADS = 12;
const MIN_BASE64 = QUADS * 4;
const MIN_HEX = RANDOM * 2;
const MIN_ESCAPED = RANDOM * 3;

/** How many base64 characters before and after a key to decode: more than its prefix needs. */
const MARGIN = 160;

const BASE64 = setOf(`${LETTERS_AND_DIGITS}+/-_`);
/** The first of four base64 characters, if the first of their three bytes is a letter, a digit, or 0 as in UTF-16. */
const FIRST_OF_FOUR = setOf("MNOQRSTUVWYZabcdeA");
const HEX = setOf("0123456789abcdefABCDEF");
const ESCAPES = setOf("0123456789abcdefABCDEFx%\\u&#;_-");

/** What the encoded parts of a piece decode to, if it can contain a key. */
export function* decodedIn(piece: Piece): Generator<Piece> {
  yield* withoutZeros(piece);
  yield* fromBase64(piece);
  yield* fromHex(piece);
  yield* unescaped(piece);
}

/** UTF-16, as Windows PowerShell writes files: the bytes without those that are 0. */
function* withoutZeros({ bytes, ...open }: Piece): Generator<Piece> {
  const at = bytes.indexOf(0);
  if (at < 0 || (bytes[at + 2] !== 0 && bytes[at - 2] !== 0)) return;
  yield { bytes: bytes.filter((byte) => byte !== 0) as Buffer, ...open };
}

/**
 * Base64, also without padding, for URLs, on several lines, and with other text directly before it, so that any of four
 * characters can be the first of its four.
 */
function* fromBase64({ bytes, openStart, openEnd }: Piece): Generator<Piece> {
  let done = 0;
  for (const [from, to] of runsOf(bytes, BASE64, MIN_BASE64)) {
    if (from < done) continue;
    const lines = [bytes.subarray(from, to)];
    for (let end = to; ; ) {
      done = end;
      const next = nextLine(bytes, end);
      if (next === undefined || (lines.at(-1)?.length ?? 0) < MIN_BASE64) break;
      for (end = next; BASE64[bytes[end] ?? 0] === 1; ) end++;
      if (end === next) break;
      lines.push(bytes.subarray(next, end));
    }
    const text = lines.length === 1 ? (lines[0] ?? bytes) : Buffer.concat(lines);
    for (let first = 0; first < 4; first++) {
      for (const [start, stop] of runsOf(text, FIRST_OF_FOUR, QUADS, { step: 4, start: first })) {
        const [begin, end] = [Math.max(first, start - MARGIN), Math.min(text.length, stop + MARGIN)];
        yield {
          bytes: Buffer.from(text.toString("latin1", begin, end), "base64"),
          openStart: begin > first || (openStart && from === 0),
          openEnd: end < text.length || (openEnd && done === bytes.length),
        };
      }
    }
  }
}

/** Where the text goes on after the end of a line, which can be escaped, and an indent; `undefined` in a line. */
function nextLine(bytes: Buffer, end: number): number | undefined {
  const [NEWLINE, RETURN, SPACE, BACKSLASH] = [0x0a, 0x0d, 0x20, 0x5c];
  let at = end;
  if (bytes[at] === RETURN) at++;
  if (bytes[at] === NEWLINE) at++;
  else if (bytes[at] === BACKSLASH && bytes[at + 1] === 0x6e) at += 2;
  else return undefined;
  while (bytes[at] === SPACE) at++;
  return at;
}

/** Hex, as in a dump: two digits for each character, from the first or the second digit. */
function* fromHex(piece: Piece): Generator<Piece> {
  for (const [from, to] of runsOf(piece.bytes, HEX, MIN_HEX)) {
    for (const first of [from, from + 1]) {
      yield decoded(Buffer.from(piece.bytes.toString("latin1", first, to), "hex"), [from, to], piece);
    }
  }
}

/** What the bytes between two places of a piece stand for. It is open where the piece is open, and ends there. */
function decoded(bytes: Buffer, [from, to]: readonly [from: number, to: number], piece: Piece): Piece {
  return { bytes, openStart: piece.openStart && from === 0, openEnd: piece.openEnd && to === piece.bytes.length };
}

const ESCAPE = /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u00([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});/gi;

/** Text of which every character is escaped, as in a URL, JSON or HTML. */
function* unescaped(piece: Piece): Generator<Piece> {
  for (const [from, to] of runsOf(piece.bytes, ESCAPES, MIN_ESCAPED)) {
    const text = piece.bytes.toString("latin1", from, to);
    const plain = text.replace(ESCAPE, (_, ...digits: (string | undefined)[]) => {
      const hex = digits.slice(0, 4).find((each) => typeof each === "string");
      return String.fromCharCode(hex === undefined ? Number(digits[4]) : Number.parseInt(hex, 16));
    });
    if (plain.length === text.length) continue;
    yield decoded(Buffer.from(plain, "latin1"), [from, to], piece);
  }
}
