import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import { nameInUrn } from "../../provider/keys/naming";
import type { Column } from "../output";
import type { ShownKey } from "./join";

/** Time since a timestamp of the service, in milliseconds. */
export function ageOf(time: string, now: number): number {
  return now - Date.parse(time);
}

/** Formats the resource of a key, and the key's role. Empty if no state shows it. */
export function formatHolder({ resource, holders: [holder] }: Pick<ShownKey, "resource" | "holders">): string {
  if (resource === undefined) return "";
  const { role = "not held", stays = false } = holder ?? {};
  const remarks = [...(role === "current" ? [] : [role]), ...(stays ? ["stays"] : [])];
  return [nameInUrn(resource), ...(remarks.length > 0 ? [`(${remarks.join(", ")})`] : [])].join(" ");
}

/**
 * The columns that describe a key.
 * @param now - The service's time, in milliseconds.
 */
export function keyColumns(now: number): Column<ApiKeyRecord>[] {
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name },
    { title: "AGE", text: ({ createdAt }) => formatDuration(ageOf(createdAt, now)) },
    {
      title: "LAST USE",
      text: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : `${formatDuration(ageOf(lastUsedAt, now))} ago`),
    },
    { title: "FROM", text: ({ lastUsedFromAddr }) => lastUsedFromAddr ?? "-" },
  ];
}
