import * as pulumi from "@pulumi/pulumi";

/** Whether a unit test has called `pulumi.runtime.setMocks`. */
export function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === "MockMonitor";
}
