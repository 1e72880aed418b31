/** Converts property values to and from the format of the program and the provider. */

import { NotSupportedError } from "../refused";
import {
  isMap,
  isSecret,
  type Json,
  type Properties,
  SECRET_SIGNATURE,
  SIGNATURE_KEY,
  secretOf,
} from "../state/property";
import { hasSignature, OUTPUT_VALUE_SIGNATURE, RESOURCE_SIGNATURE, secretValue, UNKNOWN } from "../state/values";

const ASSET_SIGNATURE = "c44067f5952c0a294b673a41bacd8c17";
const ARCHIVE_SIGNATURE = "0def7320c3a5731c473e5ecbe6d01bc7";

/** A value received from the program or the provider. */
export interface Received {
  readonly value: Json;
  /** URNs that the value itself declares as dependencies. */
  readonly dependencies: readonly string[];
}

/** Converts a received value. Rejects assets and archives. */
export function receive(wire: Json): Received {
  const dependencies = new Set<string>();
  return { value: read(wire, dependencies), dependencies: [...dependencies] };
}

/** Same as {@link receive}, for a map of properties, without the values' dependencies. */
export function receiveMap(wire: Properties): Properties {
  return Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, receive(value).value]));
}

function read(wire: Json, dependencies: Set<string>): Json {
  if (Array.isArray(wire)) return wire.map((item) => read(item, dependencies));
  if (!isMap(wire)) return wire;
  switch (wire[SIGNATURE_KEY]) {
    case undefined:
      return mapValues(wire, (item) => read(item, dependencies));
    case SECRET_SIGNATURE:
      return secretOf(read(wire.value ?? null, dependencies));
    case OUTPUT_VALUE_SIGNATURE:
      return readOutput(wire, dependencies);
    case ASSET_SIGNATURE:
    case ARCHIVE_SIGNATURE:
      throw new NotSupportedError("an asset or archive");
    case RESOURCE_SIGNATURE:
      return { ...wire, packageVersion: wire.packageVersion ?? "" };
    default:
      return wire;
  }
}

function readOutput(wire: { [key: string]: Json }, dependencies: Set<string>): Json {
  for (const urn of Array.isArray(wire.dependencies) ? wire.dependencies : []) dependencies.add(String(urn));
  const value = "value" in wire ? read(wire.value ?? null, dependencies) : UNKNOWN;
  return wire.secret === true ? secretOf(value) : value;
}

/** Converts properties for the program's SDK, with secrets, unknowns and references. */
export function forProgram(map: Properties): Properties {
  return mapValues(map, programValue);
}

function programValue(value: Json): Json {
  if (isSecret(value)) return marked(programValue(secretValue(value)));
  if (Array.isArray(value)) return value.map(programValue);
  return isMap(value) ? mapValues(value, programValue) : value;
}

/** Converts properties for a provider: secrets in plain text, and references to resources as their ids or URNs. */
export function forProvider(map: Properties, keepUnknowns: boolean): Properties {
  const entries = Object.entries(map).map(([key, value]) => [key, providerValue(value, keepUnknowns)] as const);
  return Object.fromEntries(entries.filter(([, value]) => keepUnknowns || value !== UNKNOWN));
}

function providerValue(value: Json, keepUnknowns: boolean): Json {
  if (isSecret(value)) return providerValue(secretValue(value), keepUnknowns);
  if (Array.isArray(value)) {
    const items = value.map((item) => providerValue(item, keepUnknowns));
    return keepUnknowns ? items : items.filter((item) => item !== UNKNOWN);
  }
  if (hasSignature(value, RESOURCE_SIGNATURE)) return "id" in value ? value.id || UNKNOWN : (value.urn ?? null);
  return isMap(value) ? forProvider(value, keepUnknowns) : value;
}

function marked(value: Json): Json {
  return { [SIGNATURE_KEY]: SECRET_SIGNATURE, value };
}

/** Replaces each value of a map. */
function mapValues(map: { [key: string]: Json }, change: (value: Json) => Json): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
