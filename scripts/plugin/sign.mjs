// macOS on arm64 starts only executables that are signed, if only ad hoc: with hashes of all pages, and nobody's name.
// Apple's own tool runs on macOS alone, but the archives of all systems come from one machine.
import { createHash } from "node:crypto";

const [SEGMENT, CODE_SIGNATURE] = [0x19, 0x1d];
const PAGE = 4096;
const HASH = 32;
const HEAD = 88;

/**
 * Signs a 64-bit executable for macOS that has no signature. Its last segment, `__LINKEDIT`, must be the end of the file.
 *
 * @param {Buffer} executable - The content of the file.
 * @param {string} name - The identifier in the signature.
 */
export function signedForMac(executable, name) {
  if (executable.readUInt32LE(0) !== 0xfeedfacf) throw new Error("this is no 64-bit executable for macOS");
  const isSigned = commandsOf(executable).some((at) => executable.readUInt32LE(at) === CODE_SIGNATURE);
  if (isSigned) throw new Error("the executable has a signature already");
  const text = segmentOf(executable, "__TEXT");
  const link = segmentOf(executable, "__LINKEDIT");
  if (link.fileOffset + link.fileSize !== executable.length) throw new Error("__LINKEDIT is not the end of the file");
  const signed = Math.ceil(executable.length / 16) * 16;
  const identifier = Buffer.from(`${name}\0`);
  const pages = Math.ceil(signed / PAGE);
  const size = Math.ceil((20 + HEAD + identifier.length + pages * HASH) / 16) * 16;
  const result = Buffer.concat([executable], signed + size);

  // The command that says where the signature is, after the others. A linker leaves room for more of them.
  const [count, length] = [result.readUInt32LE(16), result.readUInt32LE(20)];
  const command = 32 + length;
  if (command + 16 > text.contentOffset) throw new Error("there is no room for the command of the signature");
  for (const [at, value] of [CODE_SIGNATURE, 16, signed, size].entries()) result.writeUInt32LE(value, command + 4 * at);
  result.writeUInt32LE(count + 1, 16);
  result.writeUInt32LE(length + 16, 20);
  const linkSize = signed + size - link.fileOffset;
  result.writeBigUInt64LE(BigInt(linkSize), link.at + 48);
  result.writeBigUInt64LE(BigInt(Math.ceil(linkSize / 0x4000) * 0x4000), link.at + 32);

  const directory = Buffer.alloc(HEAD + identifier.length + pages * HASH);
  const numbers = [
    ...[0xfade0c02, directory.length, 0x20400, 0x20002 /* ad hoc, as a linker signs */],
    ...[HEAD + identifier.length, HEAD, 0, pages, signed],
    // SHA-256 of pages of 2^12 bytes.
    ...[(HASH << 24) | (2 << 16) | 12, 0, 0, 0, 0],
  ];
  for (const [at, value] of numbers.entries()) directory.writeUInt32BE(value, 4 * at);
  // Which segment is the code, and that this is a program and no library.
  for (const [at, value] of [0, text.fileOffset, text.fileSize, 1].entries()) {
    directory.writeBigUInt64BE(BigInt(value), 56 + 8 * at);
  }
  identifier.copy(directory, HEAD);
  for (let page = 0; page < pages; page++) {
    const content = result.subarray(page * PAGE, Math.min((page + 1) * PAGE, signed));
    createHash("sha256")
      .update(content)
      .digest()
      .copy(directory, HEAD + identifier.length + page * HASH);
  }
  // A list of one part, which is the directory.
  const list = [0xfade0cc0, 20 + directory.length, 1, 0, 20];
  for (const [at, value] of list.entries()) result.writeUInt32BE(value, signed + 4 * at);
  directory.copy(result, signed + 20);
  return result;
}

/** A segment: where its command is, which part of the file it is, and where the content of its first section begins. */
function segmentOf(executable, name) {
  const at = commandsOf(executable).find((each) => {
    const title = executable.toString("latin1", each + 8, each + 24).replace(/\0+$/, "");
    return executable.readUInt32LE(each) === SEGMENT && title === name;
  });
  if (at === undefined) throw new Error(`the executable has no segment ${name}`);
  const [fileOffset, fileSize] = [40, 48].map((field) => Number(executable.readBigUInt64LE(at + field)));
  const sections = executable.readUInt32LE(at + 64);
  return { at, fileOffset, fileSize, contentOffset: sections > 0 ? executable.readUInt32LE(at + 72 + 48) : 0 };
}

/** Where the load commands of an executable are. */
function commandsOf(executable) {
  const offsets = [];
  let at = 32;
  for (let rest = executable.readUInt32LE(16); rest > 0; rest--) {
    offsets.push(at);
    at += executable.readUInt32LE(at + 4);
  }
  return offsets;
}
