import type * as pulumi from "@pulumi/pulumi";

/** An output's value. Unlike `apply`, it also resolves, to `undefined`, for a value that a preview does not know. */
export function knownValue<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return (output as unknown as { promise(): Promise<T | undefined> }).promise();
}
