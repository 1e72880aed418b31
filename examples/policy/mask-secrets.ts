import { AnalyzerService } from "@pulumi/pulumi/proto/analyzer_grpc_pb";
import { isKeyType } from "./rules";

// How a secret is marked in what the engine sends.
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Masks what is marked as a secret in the resources of a stack, except in keys, before policies see it.
 *
 * The engine says what is a secret, but Pulumi's policy SDK takes the marks away and hands policies plain values, so that
 * an export in clear looks like one that is encrypted. This looks at a stack between the two: at the message, where the
 * gRPC service of `@pulumi/pulumi` reads it.
 * @returns whether a stack was masked since. If not, this SDK reads messages in another way, and marks cannot be seen.
 */
export function maskSecrets(): () => boolean {
  const method = AnalyzerService.analyzeStack;
  const read = method.requestDeserialize;
  let masked = false;
  method.requestDeserialize = (bytes) => {
    const request = read(bytes);
    for (const resource of request.getResourcesList()) {
      const properties = resource.getProperties();
      if (properties === undefined || isKeyType(resource.getType())) continue;
      const Struct = properties.constructor as unknown as { fromJavaScript(value: object): typeof properties };
      resource.setProperties(Struct.fromJavaScript(withoutSecrets(properties.toJavaScript()) as object));
    }
    masked = true;
    return request;
  };
  return () => masked;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  if ((value as Record<string, unknown>)[SIGNATURE] === SECRET) return "[secret]";
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}
