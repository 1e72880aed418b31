import type { RequestListener } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { basePath, createApp } from "./app";
import { createControlApp } from "./control/app";
import { controlClient } from "./control/client";
import type { ControlPlane } from "./control-plane";
import { noteIssuer } from "./issued-secrets";
import { PlaneListener } from "./listener";
import { Plane } from "./plane";
import { randomSecret } from "./state/api-keys";
import type { Seed } from "./state/state";

/** Options of a control plane. */
export interface ControlPlaneOptions extends Partial<Seed> {
  /** Port of the API on 127.0.0.1. 0 means any free port. @default 0 */
  port?: number;
  /** Port of the control endpoints. The API's port also serves them. 0 means any free port. @default 0 */
  controlPort?: number;
  /** Whether the control endpoints reveal the admin key to callers on this machine. @default true */
  showsApiKey?: boolean;
  /** File that keeps the whole state across restarts. @default none */
  data?: string;
}

type Serve = (request: Request, env: HttpBindings) => Response | Promise<Response>;

const onNode = (serve: Serve): RequestListener => {
  const listener = getRequestListener((request, env) => serve(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  return (incoming, outgoing) => void listener(incoming, outgoing);
};

/**
 * Starts a control plane in this process. It listens only on the loopback address.
 *
 * @example
 * const plane = await startControlPlane();
 * // ... point a program at plane.url with plane.apiKey ...
 * expect(await plane.liveKeys()).toEqual([]);
 * await plane.close();
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { port = 0, controlPort = 0, showsApiKey = true, data, ...seed } = options;
  const plane = new Plane({ ...seed, apiKey: seed.apiKey ?? randomSecret() }, showsApiKey, data);
  await plane.load();
  noteIssuer(() => ({ admin: plane.seed.apiKey, keys: plane.state.keys.secretsEverIssued() }));
  const app = createApp(plane, (ms) => void handle.refuse(ms));
  const handle = {
    url: "",
    controlUrl: "",
    refuse: (ms?: number) => listener.refuse(ms),
    accept: () => listener.accept(),
  };
  const control = createControlApp(plane, handle);
  const either: Serve = (request, env) => {
    const isControl = new URL(request.url).pathname.startsWith("/_control");
    return isControl ? control.fetch(request, env) : app.fetch(request, env);
  };
  const listener = new PlaneListener(plane, onNode(either), onNode(control.fetch));
  await listener.open(port, controlPort);
  handle.url = listener.origin + basePath;
  handle.controlUrl = `${listener.controlOrigin}/_control`;
  return {
    ...controlClient(handle.controlUrl, (request) => control.fetch(request)),
    url: handle.url,
    controlUrl: handle.controlUrl,
    apiKey: plane.seed.apiKey,
    close: async () => {
      await plane.close();
      await listener.close();
    },
  };
}
