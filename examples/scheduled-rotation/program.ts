import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey } from "keyplane";

/** The keys of a small platform. The first run after a key reaches its age rotates it. */
async function program(): Promise<Record<string, pulumi.Input<unknown>>> {
  const web = new RotatingApiKey("web", { rotateAfter: "30d", gracePeriod: "48h" });
  const jobs = new RotatingApiKey("jobs", { rotateAfter: "90d", gracePeriod: "24h" });
  return {
    webKey: web.key, // secret
    jobsKey: jobs.key, // secret
    next: pulumi.all({ web: web.nextAction, jobs: jobs.nextAction }),
  };
}

export = program;
