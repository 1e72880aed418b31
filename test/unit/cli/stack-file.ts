import { identityOf } from "../../../provider/keys/identity";

/** What a stack's state contains about its keys. */
export interface StackFile {
  readonly owner?: string;
  /** @default "dev" */
  readonly stack?: string;
  /** The stack for which the owner was created. @default the same */
  readonly ownerStack?: string;
  /** The ids of keys of `ApiKey` resources. */
  readonly keys?: readonly (string | number)[];
  /** The outputs of a `RotatingApiKey`. */
  readonly rotating?: object;
  /** The outputs of the `Ledger`. */
  readonly ledger?: object;
  readonly pending?: number;
  /** When it was saved. @default now */
  readonly savedAt?: string;
}

/** A state as `pulumi stack export` writes it. */
export function exported(file: StackFile): { version: number; deployment: object } {
  const { owner, stack = "dev", ownerStack = stack, keys = [], rotating, ledger, pending = 0, savedAt } = file;
  const resource = (kind: string, name: string, id: string, outputs: object) => ({
    urn: `urn:pulumi:${stack}::proj::pulumi-nodejs:dynamic/keyplane:${kind}::${name}`,
    custom: true,
    type: `pulumi-nodejs:dynamic/keyplane:${kind}`,
    id,
    outputs,
  });
  const resources = [
    {
      urn: `urn:pulumi:${stack}::proj::pulumi:pulumi:Stack::proj-${stack}`,
      custom: false,
      type: "pulumi:pulumi:Stack",
    },
    ...(owner ? [resource("Owner", "keyplane", owner, { project: "proj", stack: ownerStack })] : []),
    ...keys.map((id) => resource("ApiKey", `key-${id}`, String(id), { keyId: String(id), key: sealed })),
    ...(rotating ? [resource("RotatingApiKey", "app", "handle", rotating)] : []),
    ...(ledger ? [resource("Ledger", "keyplane", "ledger", ledger)] : []),
  ];
  const pendingOperations = Array.from({ length: pending }, () => ({ resource: resources[0], type: "creating" }));
  return {
    version: 3,
    deployment: { manifest: manifestAt(savedAt), resources, pending_operations: pendingOperations },
  };
}

const manifestAt = (time = new Date().toISOString()) => ({ time });

/** A state with a provider and one key of the plugin, as `pulumi stack export` writes it. */
export function exportedOfPlugin(file: {
  readonly owner: string;
  /** The owner of the key. @default the same */
  readonly ownerOfKey?: string;
  /** The stack for which the owner was created. @default "dev" */
  readonly ownerStack?: string;
  readonly key: { readonly id: string | number };
  readonly predecessors?: readonly string[];
  readonly savedAt?: string;
}): { version: number; deployment: object } {
  const { owner, ownerOfKey = owner, ownerStack = "dev", key, predecessors, savedAt } = file;
  const urn = (stack: string, type: string, name: string) => `urn:pulumi:${stack}::proj::${type}::${name}`;
  const provider = "pulumi:providers:keyplane";
  const type = "keyplane:index:ApiKey";
  const ownerOf = (id: string, ofType: string, name: string) =>
    identityOf(id, undefined, urn(ownerStack, ofType, name));
  const resources = [
    {
      urn: urn("dev", provider, "default"),
      custom: true,
      type: provider,
      id: "0c3a6c1e",
      inputs: { __owner: ownerOf(`${owner}.mvajpcdav2en`, provider, "default"), apiKey: sealed },
    },
    {
      urn: urn("dev", type, "ci"),
      custom: true,
      type,
      id: String(key.id),
      inputs: { __owner: ownerOf(ownerOfKey, type, "ci") },
      outputs: { keyId: String(key.id), key: sealed, ...(predecessors && { predecessors }) },
    },
  ];
  return { version: 3, deployment: { manifest: manifestAt(savedAt), resources } };
}

/** The identity of the key `ci` of the plugin. */
export function identityOfPlugin(owner: string): string {
  return identityOf(owner, undefined, "urn:pulumi:dev::proj::keyplane:index:ApiKey::ci");
}

/** A secret in the form that a state has. */
export const sealed = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:x" };
