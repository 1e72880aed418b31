/** What the history of a stack says about a run, and how `stack history --json` shows it. */
import { isTrue } from "../run/operation";
import { ENGINE_VERSION } from "../state/checkpoint";
import type { UpdateRecord } from "../state/history";
import { isMap, type Json } from "../state/property";
import type { Flags } from "./flags";

/** Switches whose value is a text in the CLI. */
const TEXTS: ReadonlySet<string> = new Set(["refresh", "suppress-permalink"]);

/** The CLI's variables that are true or false, without `PULUMI_`. Of all others, only the name is recorded. */
const BOOLEANS: ReadonlySet<string> = new Set(
  [
    "AUTOMATION_API_SKIP_VERSION_CHECK CONTINUE_ON_ERROR DEBUG_COMMANDS DEV DISABLE_AUTOMATIC_PLUGIN_ACQUISITION",
    "DISABLE_JOURNALING DISABLE_OUTPUT_VALUES DISABLE_PROVIDER_PREVIEW DISABLE_REGISTRY_RESOLVE",
    "DISABLE_RESOURCE_REFERENCES DISABLE_SECRET_CACHE DISABLE_VALIDATION DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS",
    "DIY_BACKEND_GZIP DIY_BACKEND_IGNORE_DEPRECATION_ERROR DIY_BACKEND_LEGACY_LAYOUT DIY_BACKEND_NO_LEGACY_WARNING",
    "DIY_BACKEND_RETAIN_CHECKPOINTS DIY_BACKEND_ZSTD ENABLE_LEGACY_DIFF ENABLE_LEGACY_REFRESH_DIFF",
    "ENABLE_STREAMING_JSON_PREVIEW ERROR_ON_DEPENDENCY_CYCLES ERROR_OUTPUT_STRING EXPERIMENTAL",
    "FALLBACK_TO_STATE_SECRETS_MANAGER GOROUTINE_PANIC_RECOVERY IGNORE_AMBIENT_PLUGINS NEO PARALLEL_DIFF RUN_PROGRAM",
    "SKIP_CHECKPOINTS SKIP_CONFIRMATIONS SKIP_UPDATE_CHECK SUPPRESS_NEO_LINK",
  ].flatMap((line) => line.split(" ")),
);

/** Describes how a run was started: the flags that were set, and the variables of Pulumi. */
export function environmentOf({ switches, off, values, lists }: Flags, env: NodeJS.ProcessEnv): Record<string, string> {
  const flag = (name: string, value: string) => [`pulumi.flag.${name}`, TEXTS.has(name) ? "set" : value] as const;
  const variables = Object.keys(env).filter((name) => name.startsWith("PULUMI_") && env[name] !== undefined);
  const entries = [
    ...variables.map((name) => {
      const isBoolean = BOOLEANS.has(name.slice("PULUMI_".length));
      return [`pulumi.env.${name}`, isBoolean ? String(isTrue(env[name])) : "set"] as const;
    }),
    ...[...switches].map((name) => flag(name, "true")),
    ...[...off].map((name) => flag(name, "false")),
    ...[...values.keys(), ...lists.keys()].map((name) => flag(name, "set")),
    ["exec.kind", "cli"],
    ["pulumi.arch", process.arch === "x64" ? "amd64" : process.arch],
    ["pulumi.os", process.platform === "win32" ? "windows" : process.platform],
    ["pulumi.version", ENGINE_VERSION],
    ["stack.environments", "[]"],
    ["updatePlan", "false"],
  ] as const;
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A run as `stack history --json` shows it. */
export function shownRecord(record: UpdateRecord): Json {
  const { version, kind, startTime, message, environment, config, result, endTime, resourceChanges = {} } = record;
  return {
    version,
    kind,
    startTime: timeOf(startTime),
    message,
    environment: { ...environment },
    config: Object.fromEntries(Object.entries(config).map(([key, value]) => [key, shownValue(value)])),
    result,
    endTime: timeOf(endTime),
    resourceChanges: { ...resourceChanges },
  };
}

function shownValue(value: Json): Json {
  if (hasSecret(value)) return { secret: true };
  if (typeof value === "string") return { value, secret: false };
  return { value: JSON.stringify(value), objectValue: value, secret: false };
}

function hasSecret(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasSecret);
  return isMap(value) && (typeof value.secure === "string" || Object.values(value).some(hasSecret));
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
