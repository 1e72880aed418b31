import type { IncomingMessage } from "node:http";

/**
 * Reads a request body, or returns `undefined` if it has more than `max` bytes. Keeps at most `max` bytes and discards
 * the rest as it arrives. Rejects if the client disconnects before the end.
 */
export function readBody(incoming: IncomingMessage, max: number): Promise<string | undefined> {
  if (Number(incoming.headers["content-length"] ?? 0) > max) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= max) return;
      chunks.length = 0;
      incoming.off("data", onData).resume();
      resolve(undefined);
    };
    incoming.on("data", onData);
    incoming.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    incoming.once("error", reject);
    incoming.once("close", () => reject(new Error("the client gave up")));
  });
}
