import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request; `undefined` where it has more bytes than `max`. No more than that is kept, and what still
 * comes is thrown away as it comes. Rejects where the client gives up before the end.
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
