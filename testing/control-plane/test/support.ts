import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "..";

const open: ControlPlane[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((plane) => plane.close()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** A path in a new folder, which is removed at the end of the test. */
export async function temporaryPath(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "keyplane-plane-"));
  folders.push(folder);
  return join(folder, name);
}

/** A control plane that stops at the end of the test. By default its clock stands still. */
export async function startPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plane = await startControlPlane({ clock: { mode: "driven" }, ...options });
  open.push(plane);
  return plane;
}

/** An answer in the form that a client without a library sees. */
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

/** Sends one request and reads its answer. `what` is a method and a path. */
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

/** The id of the project with which every control plane starts. */
export async function firstProject(plane: ControlPlane): Promise<string> {
  return (await send(plane, "GET /projects")).body.projects[0].id;
}

/** The parts of JSON schema that the control plane's document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The parts of the control plane's OpenAPI document that tests read. */
export interface OpenApi {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: { "application/json": { schema: Schema } } }> }>
  >;
  components: { schemas: Record<string, Schema> };
}

/** Reads the control plane's OpenAPI document. */
export async function documentOf(plane: { controlUrl: string }): Promise<OpenApi> {
  return (await (await fetch(`${plane.controlUrl}/openapi.json`)).json()) as OpenApi;
}
