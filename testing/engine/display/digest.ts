import type { EngineEvent, StepMetadata } from "../run/events";

/** What `--json` prints about a run. */
export interface RunDigest {
  readonly steps: readonly {
    readonly op: string;
    readonly urn: string;
    readonly diffReasons?: readonly string[];
    readonly replaceReasons?: readonly string[];
  }[];
  readonly diagnostics: readonly { readonly urn?: string; readonly severity: string; readonly message: string }[];
  /** Nanoseconds, as in Pulumi's output. */
  readonly duration: number;
  readonly changeSummary: Readonly<Record<string, number>>;
  readonly maybeCorrupt: boolean;
}

/** Creates the digest of a run's events. */
export function digestOf(events: readonly EngineEvent[]): RunDigest {
  const summary = events.findLast((event) => event.summaryEvent)?.summaryEvent;
  return {
    steps: events.flatMap(({ resourcePreEvent: event }) => (event ? [stepOf(event.metadata)] : [])),
    diagnostics: events.flatMap(({ diagnosticEvent: event }) => {
      if (!event || event.ephemeral) return [];
      return [{ ...(event.urn && { urn: event.urn }), severity: event.severity, message: event.message }];
    }),
    duration: (summary?.durationSeconds ?? 0) * 1_000_000_000,
    changeSummary: summary?.resourceChanges ?? {},
    maybeCorrupt: summary?.maybeCorrupt ?? false,
  };
}

function stepOf({ op, urn, diffs, keys }: StepMetadata): RunDigest["steps"][number] {
  return {
    op,
    urn,
    ...(diffs && diffs.length > 0 && { diffReasons: diffs }),
    ...(keys && keys.length > 0 && { replaceReasons: keys }),
  };
}
