import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey } from "keyplane";

const config = new pulumi.Config();

// The first `pulumi up` after 30 days rotates the key. The previous key stays live for at least a day, and until it has
// been unused for two hours, longer than the service may be late. This gives every consumer time to restart.
const app = new RotatingApiKey("app", {
  rotationTriggers: { rotation: config.get("rotation") ?? "1" },
  rotateAfter: "30d",
  gracePeriod: "24h",
  quietPeriod: "2h",
});

// Distribute the key after each `pulumi up` to consumers outside this stack:
//   pulumi stack output key --show-secrets > app.key && node consumer.mjs app.key
export const key = app.key; // shown as [secret]
export const nextAction = app.nextAction;
