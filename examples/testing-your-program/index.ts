import * as pulumi from "@pulumi/pulumi";
import { ApiKey, RotatingApiKey } from "keyplane";

const config = new pulumi.Config();

// Rotated manually: `pulumi config set release 2`, then `pulumi up`.
const ci = new ApiKey("ci", { rotationTriggers: { release: config.require("release") } });

// Rotated by age. The previous key stays live for a day.
const web = new RotatingApiKey("web", { rotateAfter: "30d", gracePeriod: "24h" });

export const ciKeyName = ci.name;
export const ciKey = ci.key; // secret
export const webUrl = pulumi.interpolate`postgres://web:${web.key}@db.example.com/shop`; // also secret: the key is in it
