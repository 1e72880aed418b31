import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "keyplane";
import { Deployment } from "./deployment";

const config = new pulumi.Config();

// The first `pulumi up` after the key is 90 days old replaces it.
const ci = new ApiKey("ci", { rotateAfter: "90d" });

// Replaced when `rotation` changes. The new key is created first. The old key is revoked at the end of the run.
const app = new ApiKey("app", { rotationTriggers: { rotation: config.get("rotation") ?? "1" } });

const web = new Deployment("web", { apiKey: app.key });

export const ciKeyName = ci.name;
export const ciKey = ci.key; // shown as [secret]
export const environment = web.environment; // also [secret], because the key is in it
