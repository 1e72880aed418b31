import * as pulumi from "@pulumi/pulumi";
import { ApiKey } from "keyplane";
import { Deployment } from "./deployment";

const config = new pulumi.Config();

// Replaced as soon as it is 90 days old: by the first `pulumi up` after that.
const ci = new ApiKey("ci", { rotateAfter: "90d" });

// Replaced whenever `rotation` changes. The new key is made first; the old one is revoked when all else is done.
const app = new ApiKey("app", { rotationTriggers: { rotation: config.get("rotation") ?? "1" } });

const web = new Deployment("web", { apiKey: app.key });

export const ciKeyName = ci.name;
export const ciKey = ci.key; // shown as [secret]
export const environment = web.environment; // also [secret], because the key is in it
