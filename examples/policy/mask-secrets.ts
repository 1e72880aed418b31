import { createRequire } from "node:module";
import { isKeyType } from "keyplane";

// The copy of `@pulumi/pulumi` that the policy SDK uses. Beside this file there can be another one, which decodes nothing.
const ofPolicySdk = createRequire(require.resolve("@pulumi/policy"));
const { AnalyzerService } = ofPolicySdk(
  "@pulumi/pulumi/proto/analyzer_grpc_pb",
) as typeof import("@pulumi/pulumi/proto/analyzer_grpc_pb");

// The mark of a secret in the engine's messages.
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Masks secrets in a stack's resources, except in keys, before policies see them.
 *
 * The engine marks secrets, but Pulumi's policy SDK removes the marks and passes plain values to policies. A plain-text
 * export then looks like an encrypted one. This function therefore reads the message where the gRPC service of
 * `@pulumi/pulumi` decodes it, before the SDK removes the marks.
 * @returns a function that tells whether a stack was masked. If not, this SDK version decodes messages differently, and
 * secrets cannot be detected.
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
