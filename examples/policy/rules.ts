// What the pack asks for, as functions of plain values: they can be tried without Pulumi.

/** A resource as policies see it. */
export interface PolicyResource {
  readonly type: string;
  readonly urn: string;
  readonly props: Readonly<Record<string, unknown>>;
}

const KEY_TYPES = new Set(["ApiKey", "RotatingApiKey"].map((kind) => `pulumi-nodejs:dynamic/keyplane:${kind}`));

/** The outputs that hold a key's secret. */
const SECRET_OUTPUTS = ["key", "previousKey"] as const;

/** A key that nothing ever rotates: neither its age nor a trigger. */
export function rotationViolation({ type, props }: PolicyResource): string | undefined {
  if (!KEY_TYPES.has(type) || props.rotateAfter !== undefined || hasEntries(props.rotationTriggers)) return undefined;
  return 'This key would live for ever. Set rotateAfter, such as "90d", or rotationTriggers.';
}

/** A key that stays live when its resource is gone. */
export function revocationViolation({ type, props }: PolicyResource): string | undefined {
  if (!KEY_TYPES.has(type) || props.revokeOnDelete !== false) return undefined;
  return "This key stays live after its resource is deleted, and nobody rotates it then. Say in the program who revokes it.";
}

/** A place where a key's secret stands in clear. */
export interface SecretInClear {
  readonly urn: string;
  /** Where it stands in the resource, such as `environment.DATABASE_API_KEY`. */
  readonly path: string;
}

/**
 * Where secrets of the stack's keys stand in clear: in stack outputs, or in what another resource says of itself.
 * @param resources All resources of the stack. What is marked as a secret must be masked already, except in keys.
 */
export function secretsInClear(resources: readonly PolicyResource[]): SecretInClear[] {
  const keys = resources.filter(({ type }) => KEY_TYPES.has(type));
  const secrets = keys.flatMap(({ props }) => SECRET_OUTPUTS.map((name) => props[name])).filter(isText);
  const others = resources.filter(({ type }) => !KEY_TYPES.has(type));
  return others.flatMap(({ urn, props }) => {
    const clear = textsOf(props, "").filter(({ text }) => secrets.some((secret) => text.includes(secret)));
    return clear.map(({ path }) => ({ urn, path }));
  });
}

/** Whether a type is one whose resources hold a key's secret. */
export function isKeyType(type: string): boolean {
  return KEY_TYPES.has(type);
}

function textsOf(value: unknown, path: string): { text: string; path: string }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, path === "" ? name : `${path}.${name}`));
}

function hasEntries(triggers: unknown): boolean {
  return typeof triggers === "object" && triggers !== null && Object.keys(triggers).length > 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
