import { type Deployment, readDeployment } from "../../../provider/stack/deployment";

export const DYNAMIC = "pulumi-nodejs:dynamic/keyplane:";
export const PLUGIN = "keyplane:index:";
export const ENCRYPTED = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:a" };

export const urnOf = (type: string, name: string) => `urn:pulumi:dev::app::${type}::${name}`;

/** A default provider, or one of the program: its URN without the id. */
export const providerUrn = (name = "default", of = "pulumi-nodejs") => urnOf(`pulumi:providers:${of}`, name);

/** A resource as a state has it. */
export const saved = (type: string, name: string, id: string, fields: object = {}) => ({
  urn: urnOf(type, name),
  type,
  id,
  custom: true,
  inputs: {},
  outputs: {},
  provider: `${providerUrn()}::p-1`,
  ...fields,
});

export const provider = (urn = providerUrn()) => ({
  ...{
    urn,
    type: urn.replace(/^.*(pulumi:providers:[^:]+)::.*$/, "$1"),
    id: "p-1",
    custom: true,
    inputs: {},
    outputs: {},
  },
});

export const apiKey = (name: string, keyId: string, outputs: object = {}, fields: object = {}) =>
  saved(`${DYNAMIC}ApiKey`, name, keyId, { outputs: { keyId, name: `${name}-key`, ...outputs }, ...fields });

/** An operation that was begun and has not ended, on a resource without an id, as a creation or an update. */
export const step = (type: string, name: string, suffix: string, fields: object = {}) => {
  const { id: _, ...resource } = saved(`${DYNAMIC}ApiKey`, name, "", { inputs: { __suffix: suffix }, ...fields });
  return { type, resource };
};

export function stateOf(resources: readonly object[], pending: readonly object[] = []): Deployment {
  return readDeployment(JSON.stringify({ version: 3, deployment: { resources, pending_operations: pending } }));
}
