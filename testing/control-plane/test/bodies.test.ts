import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { ControlPlane } from "..";
import { send, startPlane } from "./support";

const MAX = 1024 * 1024;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Sends the head of a request and the beginning of its body, and returns the first line of the answer. */
async function begin(plane: ControlPlane, key: string, framing: string, body = ""): Promise<string> {
  const socket = connect(Number(new URL(plane.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  const head = ["POST /api/v2/api_keys HTTP/1.1", "host: 127.0.0.1", `authorization: Bearer ${key}`];
  socket.write([...head, "content-type: application/json", framing, "", body].join("\r\n"));
  const [answer] = await once(socket, "data");
  return String(answer).split("\r\n", 1)[0] ?? "";
}

test("a client without a valid key is refused before it sends a byte of the body", async () => {
  const plane = await startPlane();
  expect(await begin(plane, "wrong", `content-length: ${MAX}`)).toBe("HTTP/1.1 401 Unauthorized");
  expect(await plane.log()).toMatchObject([{ status: 401, effects: [] }]);
});

test("a body whose announced length is too long is refused before it is sent", async () => {
  const plane = await startPlane();
  const answer = await begin(plane, plane.apiKey, `content-length: ${MAX + 1}`);
  expect(answer).toBe("HTTP/1.1 413 Payload Too Large");
});

test("a body that grows too long is refused before its end, and blocks nothing", async () => {
  const plane = await startPlane();
  const part = `${(64 * 1024).toString(16)}\r\n${" ".repeat(64 * 1024)}\r\n`;
  const answer = await begin(plane, plane.apiKey, "transfer-encoding: chunked", part.repeat(17));
  expect(answer).toBe("HTTP/1.1 413 Payload Too Large");
  expect((await send(plane, "GET /api_keys")).status).toBe(200);
});

test("a body of the maximum length is read completely", async () => {
  const plane = await startPlane();
  const text = JSON.stringify({ key_name: "ci" }).padEnd(MAX, " ");
  expect((await send(plane, "POST /api_keys", { body: text })).status).toBe(200);
  expect((await send(plane, "POST /api_keys", { body: `${text} ` })).status).toBe(413);
  expect(await plane.liveKeys()).toHaveLength(1);
});
