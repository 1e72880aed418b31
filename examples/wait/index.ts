import * as pulumi from "@pulumi/pulumi";
import { ApiKey, ProjectReady } from "keyplane";

const config = new pulumi.Config();
const projectId = config.require("projectId");

// Waits until no operation of the project is pending. A changed trigger makes it wait again.
const ready = new ProjectReady("ready", {
  projectId,
  triggers: { release: config.get("release") ?? "1" },
  operationTimeout: "10m",
});

// Created only after that. A failed or endless operation leaves no key behind.
const app = new ApiKey("app", { rotationTriggers: { release: config.get("release") ?? "1" } }, { dependsOn: ready });

export const appKeyName = app.name;
export const appKey = app.key; // shown as [secret]
