import { nameOf, newSuffix } from "../../../provider/keys/naming";
import { DYNAMIC, PLUGIN } from "../../../provider/type-tokens";

/** What a stack's state contains about its keys. */
export interface StackFile {
  /** @default "dev" */
  readonly stack?: string;
  /** The ids of keys of `ApiKey` resources. */
  readonly keys?: readonly (string | number)[];
  /** The outputs of a `RotatingApiKey` named `app`. */
  readonly rotating?: object;
  /** The suffixes of creations of an `ApiKey` named `ci` that were begun and have not ended. */
  readonly creating?: readonly string[];
  /** Where these creations are: `account` and `organizationId`. @default the account of the API key */
  readonly scope?: object;
  /** Whether the plugin manages them. @default false */
  readonly isPlugin?: boolean;
  /** When it was saved. @default now */
  readonly savedAt?: string;
}

/** A state as `pulumi stack export` writes it. */
export function exported(file: StackFile): { version: number; deployment: object } {
  const { stack = "dev", keys = [], rotating, creating = [], scope = {}, isPlugin = false, savedAt } = file;
  const resource = (kind: string, name: string, id: string, rest: object) => ({
    urn: urnOf(kind, name, { stack, isPlugin }),
    custom: true,
    type: (isPlugin ? PLUGIN : DYNAMIC) + kind,
    id,
    ...rest,
  });
  const resources = [
    {
      urn: `urn:pulumi:${stack}::proj::pulumi:pulumi:Stack::proj-${stack}`,
      custom: false,
      type: "pulumi:pulumi:Stack",
    },
    ...keys.map((id) =>
      resource("ApiKey", `key-${id}`, String(id), {
        outputs: { keyId: String(id), key: sealed, __suffix: suffixOf(id) },
      }),
    ),
    ...(rotating ? [resource("RotatingApiKey", "app", "handle", { outputs: rotating })] : []),
  ];
  const pendingOperations = creating.map((suffix) => {
    return { type: "creating", resource: resource("ApiKey", "ci", "", { inputs: { __suffix: suffix, ...scope } }) };
  });
  const manifest = { time: savedAt ?? new Date().toISOString() };
  return { version: 3, deployment: { manifest, resources, pending_operations: pendingOperations } };
}

/** The URN of a resource in an exported state. */
export function urnOf(kind: string, name: string, { stack = "dev", isPlugin = false } = {}): string {
  return `urn:pulumi:${stack}::proj::${isPlugin ? PLUGIN : DYNAMIC}${kind}::${name}`;
}

/** The suffix of the `ApiKey` with a key in an exported state. */
const suffixOf = (id: string | number): string => newSuffix(urnOf("ApiKey", `key-${id}`), String(id));

/** A new name of a resource that is in no state of a test. */
export const strangeName = (prefix = "ci"): string => nameOf(prefix, newSuffix("urn:pulumi:other::proj::x::y"), 1);

/** A secret in the form that a state has. */
export const sealed = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };
