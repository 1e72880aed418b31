import * as pulumi from "@pulumi/pulumi";
import { RotatingApiKey, type RotationWindowArgs } from "keyplane";

/** When somebody is there who sees a consumer fail. The schedule in rotate.yml starts inside it, in summer and in winter. */
const officeHours: RotationWindowArgs = {
  days: ["mon", "tue", "wed", "thu"],
  startTime: "09:00",
  endTime: "16:00",
  timeZone: "Europe/Berlin",
};

/** The keys of a small platform. The first run after a key reaches its age rotates it, for `web` inside the window. */
async function program(): Promise<Record<string, pulumi.Input<unknown>>> {
  const web = new RotatingApiKey("web", { rotateAfter: "30d", rotationWindow: officeHours, gracePeriod: "48h" });
  const jobs = new RotatingApiKey("jobs", { rotateAfter: "90d", maxAge: "120d", gracePeriod: "24h" });
  return {
    webKey: web.key, // secret
    jobsKey: jobs.key, // secret
    next: pulumi.all({ web: web.nextAction, jobs: jobs.nextAction }),
  };
}

export = program;
