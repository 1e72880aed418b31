import { createHash } from "node:crypto";
import { expect, test } from "vitest";

const { signedForMac } = (await import(new URL("../../../scripts/plugin/sign.mjs", import.meta.url).href)) as {
  signedForMac: (executable: Buffer, name: string) => Buffer;
};

const COMMANDS = 32;
const SEGMENT = 72;
const [LENGTH, LINK] = [10_001, 8192];

/** A small executable: `__TEXT` with one section, and `__LINKEDIT`, which reaches to the end of the file. */
function executable(): Buffer {
  const file = Buffer.alloc(LENGTH, "content");
  const header = [0xfeedfacf, 0x0100000c, 0, 2, 2, 2 * SEGMENT + 80, 0, 0];
  for (const [at, value] of header.entries()) file.writeUInt32LE(value, 4 * at);
  const text = segment(file, COMMANDS, "__TEXT", 0, LINK, 1);
  file.writeUInt32LE(1024, text + SEGMENT + 48);
  segment(file, text + SEGMENT + 80, "__LINKEDIT", LINK, LENGTH - LINK, 0);
  return file;
}

function segment(file: Buffer, at: number, name: string, offset: number, size: number, sections: number): number {
  file.fill(0, at, at + SEGMENT + 80 * sections);
  file.writeUInt32LE(0x19, at);
  file.writeUInt32LE(SEGMENT + 80 * sections, at + 4);
  file.write(name, at + 8, "latin1");
  for (const [field, value] of [0x1_0000_0000 + offset, size, offset, size].entries()) {
    file.writeBigUInt64LE(BigInt(value), at + 24 + 8 * field);
  }
  file.writeUInt32LE(sections, at + 64);
  return at;
}

test("a signature has the hash of each page of what it signs, and stands where its command says", () => {
  const signed = signedForMac(executable(), "name");
  const at = COMMANDS + 2 * SEGMENT + 80;
  const [kind, , start = 0, size = 0] = [0, 4, 8, 12].map((field) => signed.readUInt32LE(at + field));
  expect([kind, signed.readUInt32LE(16), start + size]).toEqual([0x1d, 3, signed.length]);
  expect(start).toBe(Math.ceil(LENGTH / 16) * 16);
  const link = COMMANDS + SEGMENT + 80;
  expect(Number(signed.readBigUInt64LE(link + 48))).toBe(signed.length - LINK);
  const directory = signed.subarray(start + signed.readUInt32BE(start + 16));
  const [hashes = 0, , , pages = 0, limit] = [16, 20, 24, 28, 32].map((field) => directory.readUInt32BE(field));
  expect([pages, limit]).toEqual([3, start]);
  const recorded = [0, 1, 2].map((page) => directory.toString("hex", hashes + 32 * page, hashes + 32 * (page + 1)));
  const actual = [0, 1, 2].map((page) => {
    const content = signed.subarray(page * 4096, Math.min((page + 1) * 4096, start));
    return createHash("sha256").update(content).digest("hex");
  });
  expect(recorded).toEqual(actual);
});

test("what is signed already, or is not of macOS, is refused instead of being broken", () => {
  const text = executable();
  expect(() => signedForMac(Buffer.concat([text, Buffer.from("more")]), "name")).toThrow("is not the end of the file");
  expect(() => signedForMac(signedForMac(text, "name"), "name")).toThrow("has a signature already");
  expect(() => signedForMac(Buffer.alloc(64), "name")).toThrow("is no 64-bit executable for macOS");
});
