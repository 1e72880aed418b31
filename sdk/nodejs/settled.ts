import type * as pulumi from "@pulumi/pulumi";

/** An output's value; unlike `apply`, also settles, with `undefined`, for a value that a preview does not know. */
export function settled<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return (output as unknown as { promise(): Promise<T | undefined> }).promise();
}
