// The rules of the policy pack. They are functions of plain values, so that they can be tested without Pulumi.
import { isKeyType } from "keyplane";

/** A resource as policies see it. */
export interface PolicyResource {
  readonly type: string;
  readonly urn: string;
  readonly props: Readonly<Record<string, unknown>>;
}

/** The outputs that contain a key's secret. */
const SECRET_OUTPUTS = ["key", "previousKey"] as const;

/** Finds a key that is never rotated, neither by age nor by a trigger. */
export function rotationViolation({ type, props }: PolicyResource): string | undefined {
  if (!isKeyType(type) || hasEntries(props.rotationTriggers)) return undefined;
  if (props.rotateAfter !== undefined || props.maxAge !== undefined) return undefined;
  return 'This key is never rotated. Set rotateAfter, such as "90d", maxAge or rotationTriggers.';
}

/** Finds a key that stays live when its resource is deleted. */
export function revocationViolation({ type, props }: PolicyResource): string | undefined {
  if (!isKeyType(type) || props.revokeOnDelete !== false) return undefined;
  return "This key stays live after its resource is deleted, and nothing rotates it. State in the program who revokes it.";
}

/** A place where a key's secret appears in plain text. */
export interface SecretInClear {
  readonly urn: string;
  /** The path in the resource, such as `environment.DATABASE_API_KEY`. */
  readonly path: string;
}

/**
 * Finds plain-text secrets of the stack's keys in stack outputs and in other resources.
 * @param resources All resources of the stack. Secrets must already be masked, except in keys.
 */
export function secretsInClear(resources: readonly PolicyResource[]): SecretInClear[] {
  const keys = resources.filter(({ type }) => isKeyType(type));
  const secrets = keys.flatMap(({ props }) => SECRET_OUTPUTS.map((name) => props[name])).filter(isText);
  const others = resources.filter(({ type }) => !isKeyType(type));
  return others.flatMap(({ urn, props }) => {
    const clear = textsOf(props, "").filter(({ text }) => secrets.some((secret) => text.includes(secret)));
    return clear.map(({ path }) => ({ urn, path }));
  });
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
