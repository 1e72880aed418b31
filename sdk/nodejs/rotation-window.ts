import type * as pulumi from "@pulumi/pulumi";

/**
 * A weekly window in which keys may rotate by age. A moment is in the window if the clocks of `timeZone` then show a day
 * and a time of the window. A window in an hour that they skip when daylight saving time begins does not open on that
 * day. In an hour that they show twice when it ends, it opens twice. At least one of `days`, `startTime` and `endTime`
 * is required.
 */
export interface RotationWindowArgs {
  /**
   * The days on which the window opens: `mon`, `tue`, `wed`, `thu`, `fri`, `sat` or `sun`.
   * @default every day
   */
  readonly days?: pulumi.Input<pulumi.Input<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">[]>;
  /** The time of day at which the window opens, such as `09:00`. @default "00:00" */
  readonly startTime?: pulumi.Input<string>;
  /**
   * The time of day at which the window closes, such as `16:00`. If it is before `startTime`, the window closes on the
   * day after the one on which it has opened.
   * @default "24:00"
   */
  readonly endTime?: pulumi.Input<string>;
  /** The time zone of the times: a name of the IANA database, such as `Europe/Berlin`. @default "UTC" */
  readonly timeZone?: pulumi.Input<string>;
}
