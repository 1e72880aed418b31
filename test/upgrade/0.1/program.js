// The program that created the state in this folder with version 0.1. `app` was rotated once, its second rotation is
// queued, and `slow` is not ready.
const { ApiKey, ProjectReady, RotatingApiKey } = require("keyplane");

new ProjectReady("ready", { projectId: "busy-project-1a2b3c4d", ignoreActions: ["apply_config"] });
new ApiKey("plain");
new ApiKey("exact", { name: "exact-key" });
new ApiKey("triggered", { rotationTriggers: { quarter: "2026Q4" }, rotateAfter: "90d" });
new RotatingApiKey("young", { rotateAfter: "30d", gracePeriod: "12h" });
new RotatingApiKey("app", { rotationTriggers: { at: "3" }, gracePeriod: "12h" });
new ApiKey("slow", { operationTimeout: "60s" });
