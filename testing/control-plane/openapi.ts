import { type Route, ref, type Schema } from "./routes/route";
import { schemas } from "./routes/schemas";
import { routes } from "./routes/table";

const json = (schema: Schema) => ({ "application/json": { schema } });

function parameters({ path, params = {}, query = {} }: Route): Schema[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    return { name, in: "path", required: true, schema: params[name] ?? { type: "string" } };
  });
  return [...inPath, ...Object.entries(query).map(([name, schema]) => ({ name, in: "query", schema }))];
}

function operation(route: Route): Schema {
  const { summary, body, answer } = route;
  return {
    summary,
    parameters: parameters(route),
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: {
      [answer.status]: { description: "Done.", content: json(answer.schema) },
      default: { description: "Refused.", content: json(ref("Error")) },
    },
  };
}

/**
 * Creates the service's OpenAPI document from the route table.
 * @param url - The base URL.
 */
export function openApiDocument(url: string): Schema {
  const paths: Record<string, Schema> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Control plane", version: "2" },
    servers: [{ url }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas, securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
  };
}
