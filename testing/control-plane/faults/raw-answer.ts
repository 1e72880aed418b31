import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Fault } from "./rule";

/** A response as sent to the network. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const page = "<!doctype html><html><head><title>Gateway</title></head><body><h1>Something is wrong</h1></body></html>";

/** The time between two bytes of an answer that drips, in milliseconds. */
const DRIP_MS = 100;

function head({ status, headers }: WireAnswer, more: Record<string, string>): string {
  const lines = Object.entries({ ...headers, ...more }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`;
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/**
 * Breaks a response on the wire as the fault says. Returns how many bytes of the body were sent.
 * @param answer - The response without the fault.
 */
export function breakAnswer(socket: Socket, fault: Fault, answer: WireAnswer): number {
  const half = answer.body.slice(0, Math.ceil(answer.body.length / 2));
  const length = String(Buffer.byteLength(answer.body));
  switch (fault) {
    case "reset-on-connect":
    case "reset-before-body":
    case "reset":
      socket.resetAndDestroy();
      return 0;
    case "close-on-connect":
    case "close":
      socket.destroy();
      return 0;
    case "close-in-head":
      socket.end(`HTTP/1.1 ${answer.status} OK\r\nContent-Ty`);
      return 0;
    case "hang":
      return 0;
    case "truncate-length":
      socket.end(head(answer, { "Content-Length": length }) + half);
      return half.length;
    case "truncate-chunked":
      socket.end(head(answer, { "Transfer-Encoding": "chunked" }) + chunk(half));
      return half.length;
    case "truncate-close":
      socket.end(head(answer, { Connection: "close" }) + half);
      return half.length;
    case "stall-body":
      socket.write(head(answer, { "Content-Length": length }) + half);
      return half.length;
    case "drip-body": {
      socket.write(head(answer, { "Transfer-Encoding": "chunked" }) + chunk(half));
      const drops = setInterval(() => socket.write(chunk(" ")), DRIP_MS);
      socket.once("close", () => clearInterval(drops));
      return half.length;
    }
    case "garbage":
      socket.end("\u0000\u0001 this is no answer \u0002\r\n\r\n");
      return 0;
    case "html": {
      const html = { ...answer, status: 200, headers: { ...answer.headers, "Content-Type": "text/html" }, body: page };
      socket.end(head(html, { "Content-Length": String(Buffer.byteLength(page)), Connection: "close" }) + page);
      return page.length;
    }
  }
}
