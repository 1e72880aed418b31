import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findKeys } from "../../../cli/identify/key-search";
import { keyDigest } from "../../../provider/key-digest";
import "../../fixed-seed";
import { startCpuClock } from "../cpu-clock";
import { keyOf } from "./key-of";

function* inChunks(text: string | Buffer, chunk = 65_536): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
}

/** Everything that a text can contain as keys, and what looks like a key of the service. */
async function searched(text: string | Buffer, chunk?: number) {
  const found = await findKeys(inChunks(text, chunk));
  return {
    digests: new Set(found.flatMap(({ secrets }) => [...secrets.keys()])),
    service: found.flatMap(({ service }) => service ?? []),
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");
const each = (text: string, form: (code: string) => string) =>
  [...hex(text).matchAll(/../g)].map(([code]) => form(code)).join("");
const wrapped = (text: string, width: number, by = "\n") =>
  text.replace(new RegExp(`(.{${width}})(?=.)`, "g"), `$1${by}`);

const FORMS: Readonly<Record<string, (key: string) => string>> = {
  "as it is": (key) => key,
  "in a line": (key) => `2026-11-23 INFO token=${key}, retrying`,
  quoted: (key) => `export KEY='${key}'`,
  "in JSON": (key) => JSON.stringify({ key }),
  "in JSON within JSON": (key) => JSON.stringify(JSON.stringify({ log: `\n${key}\t` })),
  "after an escaped line break": (key) => `"a\\n${key}\\n"`,
  "after an escaped quote": (key) => `\\u0022${key}\\u0022 \\x22${key}`,
  "in a URL": (key) => `https://host.test/?key=${key}&x=1`,
  "in an encoded URL": (key) => encodeURIComponent(`https://host.test/?a= ${key} &x=1`),
  "in an encoded URL within a URL": (key) => encodeURIComponent(encodeURIComponent(`https://host.test/?a=${key}&x=1`)),
  "in quoted-printable": (key) => `KEY=3D${key}=20`,
  colored: (key) => `\u001b[m\u001b[1;32m${key}\u001b[0m`,
  "colored in JSON": (key) => JSON.stringify({ log: `\u001b[32m${key}\u001b[0m` }),
  "in a header": (key) => `curl -H "Authorization: Bearer ${key}"`,
  "in an encoded header": (key) => encodeURIComponent(`Authorization: Bearer ${key}`),
  "after other words": (key) => `my-app_${key}-suffix`,
  "in HTML": (key) => `<b>&quot;${key}&#34;</b>`,
  "in base64": (key) => `{"data":"${base64(key)}"}`,
  "in base64 of a header": (key) => base64(`Authorization: Bearer ${key}`),
  "in base64 of credentials": (key) => `Basic ${base64(`u:${key}`)}`,
  "in base64 at the third offset": (key) => base64(`us:${key}\n`).replace(/=+$/, ""),
  "in base64 after a path": (key) => `/secrets/${base64(`{"k":"${key}"}`)}`,
  "in base64 on lines": (key) => wrapped(base64(`Authorization: Bearer ${key}`), 76),
  "in base64 on indented lines": (key) => `data: |\n    ${wrapped(base64(`${key}\n${key}`), 64, "\r\n    ")}\n`,
  "in base64 with escaped line breaks": (key) => JSON.stringify(wrapped(base64(`Bearer ${key}`), 76)),
  "in base64 for URLs": (key) => Buffer.from(`\xff\xfe?>${key}`, "latin1").toString("base64url"),
  "in base64 within base64": (key) => base64(`{"header":"${base64(`Bearer ${key}`)}"}`),
  "in encoded base64": (key) => encodeURIComponent(base64(`Bearer ${key}==`)),
  "percent-encoded": (key) => each(key, (code) => `%${code}`),
  "percent-encoded twice": (key) => each(key, (code) => `%25${code}`),
  "escaped as in JSON": (key) => each(key, (code) => `\\u00${code}`),
  "escaped as in HTML": (key) => each(key, (code) => `&#${Number.parseInt(code, 16)};`),
  "in UTF-16": (key) => Buffer.from(`\ufeffBearer ${key}\r\n`, "utf16le").toString("latin1"),
  "in UTF-16 within base64": (key) => Buffer.from(`Bearer ${key}`, "utf16le").toString("base64"),
};

describe.each([
  ["with a prefix", keyOf(1)],
  ["of another service", `napi_${keyOf(2).slice(3)}`],
  ["without a prefix", keyOf(3).slice(3)],
])("a key %s is found", (_, key) => {
  test.each(Object.entries(FORMS))("%s", async (_form, write) => {
    const { digests, service } = await searched(Buffer.from(write(key), "latin1"));
    expect(digests).toContain(keyDigest(key));
    // Only one key is reported, if no state has it.
    expect(service).toHaveLength(1);
  });
});

test("a key is found wherever a chunk ends, and once", async () => {
  const key = keyOf(4);
  const line = "an ordinary line of a log with words/and/paths and some-words_with-marks\n";
  for (const size of [1 << 20, (1 << 20) + (1 << 14) - 30]) {
    for (const form of ["quoted", "in base64 on lines", "percent-encoded twice"]) {
      const before = line.repeat(Math.ceil(size / line.length)).slice(0, size - 1);
      const text = `${before} ${FORMS[form]?.(key)}\n${line.repeat(2_000)}`;
      for (const chunk of [4_099, text.length]) {
        expect((await searched(text, chunk)).service, `${form} at ${size}, in chunks of ${chunk}`).toEqual([
          keyDigest(key),
        ]);
      }
    }
  }
});

test("a part of a key at the end of a chunk is not another key", async () => {
  const long = Array.from({ length: 4_000 }, (_, at) => keyOf(at)).join(" ");
  for (const chunk of [997, 65_536]) expect((await searched(long, chunk)).service).toHaveLength(4_000);
});

/** How many bytes the first window has, and how many of them the second one has again. */
const [WINDOW, AGAIN] = [(1 << 20) + (1 << 14), 1 << 14];

test.each([
  ["a window ends with", WINDOW, 64],
  ["a window begins with", WINDOW - AGAIN, 36],
])("the part of a longer word that %s is not a key", async (_, cut, before) => {
  const word = `${keyOf(8).slice(3)}${keyOf(9).slice(3)}`.slice(0, 100);
  const line = "an ordinary line of a log\n";
  const start = line.repeat(WINDOW / line.length).slice(0, cut - before - 1);
  const text = `${start} ${word} ${line.repeat(1_000)}`;
  expect((await searched(`${text} ${keyOf(10)}`, WINDOW)).service).toEqual([keyDigest(keyOf(10))]);
});

test.each([
  ["words", "the quick brown fox ".repeat(5_000)],
  ["a row", "abcdefghijk2mnopqrstuvwxyz0123456789abcdefghijk2mnopqrstuvwxyz01"],
  ["one character", "a".repeat(64)],
  [
    "hashes",
    Array.from({ length: 500 }, () => `${randomBytes(32).toString("hex")}  ${randomBytes(20).toString("hex")}`).join(
      "\n",
    ),
  ],
  ["binary data", randomBytes(200_000).toString("latin1")],
  ["base64 of binary data", randomBytes(200_000).toString("base64")],
  ["UUIDs", Array.from({ length: 500 }, () => crypto.randomUUID()).join("_")],
  ["a key that is too long", `kp_${keyOf(5).slice(3)}${keyOf(6).slice(3)}`],
  ["a key that is cut", keyOf(7).slice(0, 50)],
])("%s do not look like a key of the service", async (_, text) => {
  expect((await searched(Buffer.from(text, "latin1"))).service).toEqual([]);
});

test("any text between keys, and any chunk, changes nothing about what is found", async () => {
  const noise = fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[%\\&#;=+/_a-z0-9 \n]{0,200}$/));
  const property = fc.asyncProperty(noise, noise, fc.integer({ min: 1, max: 5_000 }), async (before, after, chunk) => {
    const key = keyOf(chunk);
    expect((await searched(`${before} ${key}"${after}`, chunk)).digests).toContain(keyDigest(key));
  });
  await fc.assert(property, { numRuns: 300 });
});

/** Maximum processor time for a byte, in microseconds: six times what the slowest of the texts below needs. */
const MICROS_FOR_A_BYTE = 2;

const SIZE = 300_000;
const fill = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length));
const lines = (count: number) => Array.from({ length: count }, (_, at) => keyOf(at)).join("\n");

test.each([
  ["escaped percent signs", () => fill("%25")],
  ["characters that are escaped twice", () => fill("%2541")],
  ["escaped quotes", () => fill('\\"')],
  ["escaped letters", () => fill("\\u0041&#x41;")],
  ["keys, each on a line", () => lines(SIZE / 68)],
  ["keys in base64", () => base64(lines(SIZE / 91))],
  ["binary data in base64", () => randomBytes(SIZE * 0.75).toString("base64")],
  ["base64 on lines", () => wrapped(randomBytes(SIZE * 0.75).toString("base64"), 76)],
  ["base64 of base64 of base64", () => base64(base64(base64(fill(`${"M123".repeat(12)}!`).slice(0, SIZE / 2.4))))],
  ["one long line", () => fill("words and more, ")],
  ["one long word", () => fill("abcdefghij0123")],
  ["digits in hex", () => randomBytes(SIZE / 2).toString("hex")],
  ["words that can begin a key", () => fill(`${"abcdefghijk2mno_".repeat(5)}${keyOf(1).slice(3, 50)} `)],
])("a long text of %s takes time in proportion to its length", async (_, write) => {
  const text = write();
  const usedMicros = startCpuClock();
  // Keys that repeat are noted once, but searched for like the first ones.
  await findKeys(inChunks(text + text));
  expect(usedMicros() / (2 * text.length)).toBeLessThan(MICROS_FOR_A_BYTE);
});
