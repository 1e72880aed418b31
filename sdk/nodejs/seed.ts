import { randomBytes } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { base32 } from "../../provider/base32";
import { isMocked } from "./run/pulumi-internals";

/**
 * From this the provider makes the suffix in a key's name, because Pulumi passes no random seed to the dynamic host. It
 * begins with the name of the stack, which the host does not have either. A preview does not know it, so that a plan
 * allows any suffix. A unit test with mocks gets none, because its snapshots must not change. Nor does a program that Pulumi
 * does not run, so that Pulumi's own error says so.
 */
export function seed(): pulumi.Inputs {
  if (pulumi.runtime.getMonitor() === undefined || isMocked()) return {};
  const organization = pulumi.getOrganization();
  // A destroy has no program that would say it. Backends without organizations call theirs so.
  const known = organization === "organization" ? {} : { __organization: organization };
  if (pulumi.runtime.isDryRun()) return { ...known, __seed: pulumi.runtime.unknownValue };
  const stack = `${organization}/${pulumi.getProject()}/${pulumi.getStack()}`;
  // 12 characters.
  return { ...known, __seed: `${stack}/${base32(randomBytes(8))}` };
}
