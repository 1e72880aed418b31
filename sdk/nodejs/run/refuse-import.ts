import type * as pulumi from "@pulumi/pulumi";
import { programError } from "./program-error";

const KEY =
  "the service shows a key's secret only once. Remove the option. To take over a key whose secret you have, use adopt of a " +
  "RotatingApiKey; to read what is known about a key, use getApiKey";

const GATE =
  "it only waits, so the service has no such thing. Remove the option. To read what is known about a project, use getProject";

/** Throws if a resource is to be imported, or looked up by `get`. */
export function refuseImport(kind: string, name: string, options: pulumi.CustomResourceOptions | undefined): void {
  if (options?.import === undefined && options?.id === undefined) return;
  const why = kind === "ProjectReady" ? GATE : KEY;
  throw programError("KP-IMPORT", `${kind} ${JSON.stringify(name)}: cannot be imported or looked up, because ${why}`);
}
