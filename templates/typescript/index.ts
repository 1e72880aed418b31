import { ApiKey } from "keyplane";

// The first `pulumi up` after 90 days replaces the key. To replace it earlier, change `quarter`.
const ci = new ApiKey("ci", { rotationTriggers: { quarter: "2026Q4" }, rotateAfter: "90d" });

export const ciKeyName = ci.name;
export const ciKey = ci.key; // secret
