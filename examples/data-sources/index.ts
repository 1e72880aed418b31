import * as pulumi from "@pulumi/pulumi";
import { ApiKey, getOperationsOutput, getProjectsOutput } from "keyplane";

const config = new pulumi.Config();
const region = config.get("region");
const organizationId = config.get("organizationId");

// Every run reads data sources, including previews. Their results are not secret.
const projects = getProjectsOutput({ organizationId }).apply((all) => {
  return all.filter((project) => region === undefined || project.regionId === region);
});

// The key is replaced when a project is added or removed, so that nobody keeps an older key.
const reader = new ApiKey("reader", {
  rotationTriggers: { projects: projects.apply((all) => all.map((project) => project.id).sort()) },
});

export const projectNames = projects.apply((all) => all.map((project) => project.name).sort());
export const failedOperations = projects.apply((all) => {
  return pulumi.all(
    all.map((project) => {
      const failed = getOperationsOutput({ projectId: project.id, status: ["failed", "error"], limit: 5 });
      return failed.apply((operations) => ({ project: project.name, actions: operations.map(({ action }) => action) }));
    }),
  );
});
export const readerKey = reader.key; // shown as [secret]
