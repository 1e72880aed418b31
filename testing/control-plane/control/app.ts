import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { ApiError } from "../api-error";
import { openApiDocument } from "../openapi";
import type { Plane } from "../plane";
import { readBody } from "../read-body";
import { controlCalls } from "./calls";
import { readFields } from "./input";

/** What the control endpoints need from the listener. */
export interface Listener {
  /** The base URL of the API. */
  readonly url: string;
  /** URL of the control endpoints that stay reachable while the API refuses connections. */
  readonly controlUrl: string;
  /** Refuses new connections to the API, for a time or until `accept`. */
  refuse(ms?: number): Promise<void>;
  /** Accepts connections again. */
  accept(): Promise<void>;
}

/** Maximum size of a control call's body, in bytes. A rule can contain a whole response body. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Creates the control endpoints as a hono app. They need no key, so they respond only to loopback host names. */
export function createControlApp(plane: Plane, listener: Listener): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>({ strict: false }).basePath("/_control");
  app.use(async (context, next) => {
    // Prevents web pages from acting here, or from reading secrets through DNS rebinding. A browser sends no Origin with
    // some requests of another site, such as those of a link or an image, but it says where the request comes from.
    const local = loopback.test(new URL(context.req.url).host);
    const site = context.req.header("sec-fetch-site") ?? "none";
    const isProgram = context.req.header("origin") === undefined && (site === "none" || site === "same-origin");
    if (!local || !isProgram) throw new ApiError(403, "only for local programs");
    await next();
  });
  const info = () => {
    const { url, controlUrl } = listener;
    return { url, controlUrl, ...(plane.showsApiKey ? { apiKey: plane.seed.apiKey } : {}) };
  };
  app.get("/", (context) => context.json(info()));
  app.get("/openapi.json", (context) => context.json(openApiDocument(listener.url)));
  app.post("/refuse", async (context) => {
    const { ms } = readFields<{ ms: number }>(parse(await textOf(context)), { ms: "number" });
    await listener.refuse(ms);
    return context.json({});
  });
  app.post("/accept", async (context) => {
    await listener.accept();
    return context.json({});
  });
  for (const { method, path, run } of controlCalls) {
    app.on(method, path, async (context) => {
      // Commit what is due first, so that every control call sees it.
      plane.settle();
      const text = method === "POST" ? await textOf(context) : "";
      const id = context.req.param("id") ?? "";
      const answer = await run(plane, { id, body: parse(text), query: new URL(context.req.url).searchParams });
      if (method !== "GET") await plane.persist();
      return context.json((answer ?? {}) as Record<string, unknown>);
    });
  }
  app.onError((error, context) => {
    return context.json({ message: error.message }, error instanceof ApiError ? (error.status as 400) : 500);
  });
  return app;
}

/** Reads the body of a call. A call from this process has no connection. */
async function textOf({ env, req }: Context<{ Bindings: HttpBindings }>): Promise<string> {
  const text = await (env?.incoming ? readBody(env.incoming, MAX_BODY_BYTES) : req.text());
  if (text === undefined) throw new ApiError(413, "body is too large");
  return text;
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    throw new ApiError(400, "body is not valid JSON");
  }
}
