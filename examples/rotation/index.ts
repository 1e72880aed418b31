import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "keyplane";
import { SecretFile } from "./secret-file";

const config = new pulumi.Config();

// A new key each quarter, when `quarter` changes, and after 100 days at the latest.
const ci = new ApiKey("ci", {
  rotationTriggers: { quarter: config.require("quarter") },
  rotateAfter: "100d",
  verify: true,
});

// Gets the new key while the old one still works. The old key is revoked at the very end of the run.
const file = new SecretFile("ci-key", { path: config.require("keyFile"), content: ci.key });

export const keyName = ci.name;
export const rotateAt = ci.rotateAt;
export const keyFile = file.id;
