import { afterEach } from "vitest";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../../kit/control-plane";

const open: ControlPlane[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
});

/** A control plane that stops at the end of the test; its clock stands still unless told otherwise. */
export async function startPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plane = await startControlPlane({ clock: { mode: "driven" }, ...options });
  open.push(plane);
  return plane;
}

/** An answer as a client without any library sees it. */
export interface Seen {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely, each test says what it expects.
  body: any;
}

/** How a request differs from an authenticated one with a JSON body. */
export interface Sent {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
}

/** Sends one request and reads its answer; `what` is a method and a path. */
export async function send(plane: ControlPlane, what: string, sent: Sent = {}): Promise<Seen> {
  const [method = "", path = ""] = what.split(" ");
  const text = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
  const response = await fetch(plane.url + path, {
    method,
    redirect: "manual",
    headers: {
      accept: "application/json",
      authorization: `Bearer ${sent.key ?? plane.apiKey}`,
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, body: answer === "" ? undefined : JSON.parse(answer) };
}

/** Id of the project that every plane starts with. */
export async function firstProject(plane: ControlPlane): Promise<string> {
  return (await send(plane, "GET /projects")).body.projects[0].id;
}
