import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** How much to read at once. */
const CHUNK = 1 << 24;

/** Whether the memory that a process can write contains a text, as a core dump of it would. Only on Linux. */
export function memoryHolds(pid: number, text: string): boolean {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    const maps = readFileSync(`/proc/${pid}/maps`, "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rw/gm);
    return Array.from(maps).some(([, from = "", to = ""]) => {
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
      const size = Math.min(CHUNK, end - start);
      const places = Array.from({ length: Math.ceil((end - start) / size) }, (_, at) => start + at * size);
      return places.some((place) => read(memory, place, Math.min(size + text.length, end - place)).includes(text));
    });
  } finally {
    closeSync(memory);
  }
}

/** A part of a file. Nothing if it cannot be read, such as memory that was given back in the meantime. */
function read(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, length, at));
  } catch {
    return Buffer.alloc(0);
  }
}
