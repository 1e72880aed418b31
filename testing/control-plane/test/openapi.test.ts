import { expect, test } from "vitest";
import { documentOf, firstProject, type OpenApi, type Schema, send, startPlane } from "./support";

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

/** The differences between a value and a schema, by path. */
function differences(document: OpenApi, schema: Schema, value: unknown, at = "$"): string[] {
  if (schema.$ref) {
    const named = document.components.schemas[schema.$ref.split("/").at(-1) ?? ""];
    return named ? differences(document, named, value, at) : [`${at}: ${schema.$ref} is missing`];
  }
  if (schema.enum && !schema.enum.includes(value)) return [`${at}: ${JSON.stringify(value)}`];
  if (schema.type && ![schema.type].flat().includes(typeOf(value))) return [`${at}: ${typeOf(value)}`];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => differences(document, schema.items ?? {}, item, `${at}[${index}]`));
  }
  const fields = (typeof value === "object" ? value : null) as Record<string, unknown> | null;
  if (!fields) return [];
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(fields, name)).map((name) => `${at}.${name}`);
  const present = Object.entries(schema.properties ?? {}).filter(([name]) => Object.hasOwn(fields, name));
  return [...missing, ...present.flatMap(([name, part]) => differences(document, part, fields[name], `${at}.${name}`))];
}

test("the OpenAPI document describes every answer of every route that it names", async () => {
  const plane = await startPlane();
  const document = await documentOf(plane);
  const project = await firstProject(plane);
  const made = (await send(plane, `POST /projects/${project}/branches`, { body: {} })).body;
  const key = await plane.state.createKey("ci");
  const { id: organizationKey } = (
    await send(plane, "POST /organizations/org-local-1/api_keys", { body: { key_name: "ci" } })
  ).body;
  const values: Record<string, string> = {
    org_id: "org-local-1",
    project_id: project,
    branch_id: made.branch.id,
    endpoint_id: made.endpoints[0].id,
    operation_id: made.operations[0].id,
  };
  const bodies: Record<string, unknown> = {
    "/api_keys": { key_name: "new" },
    "/organizations/{org_id}/api_keys": { key_name: "new" },
    "/projects": { project: {} },
  };
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Deletions come last, the innermost first.
  const depth = ({ path, method }: (typeof rows)[number]) => (method === "DELETE" ? path.length : 1000);
  for (const row of rows.toSorted((a, b) => depth(b) - depth(a))) {
    values.key_id = String(row.path.startsWith("/api_keys") ? key.id : organizationKey);
    const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name);
    const body = row.method === "POST" ? (bodies[row.path] ?? {}) : undefined;
    const answer = await send(plane, `${row.method} ${path}`, { body });
    const response = row.operation.responses[answer.status];
    expect([row.method, row.path, answer.status, Boolean(response)]).toEqual([
      row.method,
      row.path,
      answer.status,
      true,
    ]);
    const schema = response?.content["application/json"].schema ?? {};
    expect([row.method, row.path, differences(document, schema, answer.body)]).toEqual([row.method, row.path, []]);
  }
});

test("routes that the OpenAPI document does not name are not served", async () => {
  const plane = await startPlane();
  const { paths } = await documentOf(plane);
  for (const [path, methods] of Object.entries(paths)) {
    const concrete = path.replace(/\{\w+\}/g, "1");
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((name) => !(name.toLowerCase() in methods))) {
      // A shorter path may serve the method under another template, such as /projects/{project_id} for /projects/shared.
      const other = Object.keys(paths).some((template) => {
        const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`);
        return pattern.test(concrete) && method.toLowerCase() in (paths[template] ?? {});
      });
      const { status } = await send(plane, `${method} ${concrete}`, method === "GET" ? {} : { body: {} });
      if (!other) expect([method, path, status]).toEqual([method, path, 405]);
    }
  }
});

test("errors have the shape that the document gives them", async () => {
  const plane = await startPlane();
  const document = await documentOf(plane);
  const refusals = [
    await send(plane, "GET /auth", { key: "wrong" }),
    await send(plane, "POST /api_keys", { body: {} }),
    await send(plane, "GET /projects/none"),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([401, 400, 404]);
  for (const { body } of refusals) expect(differences(document, { $ref: "#/x/Error" }, body)).toEqual([]);
});
