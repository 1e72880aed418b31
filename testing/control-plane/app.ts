import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { errorBody } from "./api-error";
import { exchange, type Refuse } from "./exchange";
import type { Plane } from "./plane";
import { routes } from "./routes/table";

/** Path of the base URL. */
export const basePath = "/api/v2";

/** Creates the service as a hono app: all routes of the table, and an error response for everything else. */
export function createApp(plane: Plane, refuse: Refuse): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const route of routes) {
    const path = basePath + route.path.replace(/\{(\w+)\}/g, ":$1");
    app.on(route.method, path, (context) => exchange(plane, context, basePath, route, refuse));
  }
  app.all(`${basePath}/*`, (context) => exchange(plane, context, basePath, undefined, refuse));
  app.notFound((context) => {
    const message = `not found: the service is served under ${basePath}, control endpoints under /_control`;
    return context.json(errorBody(randomUUID(), { code: "", message }), 404);
  });
  app.onError((error, context) => {
    return context.json(errorBody(randomUUID(), { code: "", message: `internal error: ${error.message}` }), 500);
  });
  return app;
}
