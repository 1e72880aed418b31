/** The beginning of a type of the npm package, and of the plugin. Both are in URNs in users' states. */
export const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";
export const PLUGIN = "keyplane:index:";

const KEY_TYPES: ReadonlySet<string> = new Set(
  [DYNAMIC, PLUGIN].flatMap((family) => ["ApiKey", "RotatingApiKey"].map((kind) => family + kind)),
);

/**
 * Whether resources of a type contain the secret of an API key. Knows the types of the npm package and of the plugin, for
 * policies and other code that reads a stack's resources.
 */
export function isKeyType(type: string): boolean {
  return KEY_TYPES.has(type);
}
