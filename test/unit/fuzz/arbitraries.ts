import * as fc from "fast-check";

/** Texts that break careless code: control and direction characters, path and URL syntax, and prototype names. */
export const nastyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ maxLength: 80 }),
  fc.constantFrom(
    ...["", " ", ".", "..", "../..", "%2e%2e", "a/b", "a?b#c", "a\\b", "\u0000", "\r\nX: y", "\u001b[2J", "\u202e"],
    ...["__proto__", "constructor", "null", "undefined", "NaN", "-0", "1e9", "9007199254740993", "0x10", "٣", "🗝", "é"],
    "x".repeat(65),
    "x".repeat(100_000),
  ),
);

/** Any value, in JSON or not, often one that breaks careless code. */
export const nastyValue: fc.Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, Number.NaN, 2 ** 53, 1e308, [], {}, [[]], [null], {
    toString: 0,
  }),
  fc.jsonValue(),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')),
);
