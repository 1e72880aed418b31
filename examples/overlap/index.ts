import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey } from "keyplane";

const config = new pulumi.Config();

// Rotated by the first `pulumi up` after 30 days. The key before it stays live for a day at least, and then until it
// was not used for an hour: time for every consumer to be restarted.
const app = new RotatingApiKey("app", {
  rotationTriggers: { rotation: config.get("rotation") ?? "1" },
  rotateAfter: "30d",
  gracePeriod: "24h",
  quietPeriod: "1h",
});

// Handed out after each `pulumi up`, to consumers that this stack knows nothing of:
//   pulumi stack output key --show-secrets > app.key && node consumer.mjs app.key
export const key = app.key; // shown as [secret]
export const nextAction = app.nextAction;
