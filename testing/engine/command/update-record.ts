/** What the history of a stack says about a run, and how `stack history --json` shows it. */
import { ENGINE_VERSION } from "../state/checkpoint";
import type { UpdateRecord } from "../state/history";
import type { Json } from "../state/property";
import type { Flags } from "./flags";

/** Describes how a run was started: with which flags, but not with which values. */
export function environmentOf({ switches, values }: Flags): Record<string, string> {
  const flags = [
    ...[...switches].map((name) => [name, "true"] as const),
    ...[...values.keys()].map((name) => [name, "set"] as const),
  ];
  return {
    ...Object.fromEntries(flags.map(([name, value]) => [`pulumi.flag.${name}`, value])),
    "pulumi.version": ENGINE_VERSION,
  };
}

/** A run as `stack history --json` shows it. */
export function shownRecord({ startTime, endTime, ...record }: UpdateRecord): Json {
  return { ...record, startTime: timeOf(startTime), endTime: timeOf(endTime) };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
