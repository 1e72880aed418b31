import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "keyplane";
import { SecretFile } from "./secret-file";

const config = new pulumi.Config();

// A new key each quarter, as soon as `quarter` is changed; at the latest after 100 days, should that be forgotten.
const ci = new ApiKey("ci", {
  rotationTriggers: { quarter: config.require("quarter") },
  rotateAfter: "100d",
  verify: true,
});

// Gets the new key while the old one still works: that is revoked at the very end of the run.
const file = new SecretFile("ci-key", { path: config.require("keyFile"), content: ci.key });

export const keyName = ci.name;
export const rotateAt = ci.rotateAt;
export const keyFile = file.id;
