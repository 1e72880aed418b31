import type { ApiKeyRecord } from "../../provider/api";
import { formatDuration } from "../../provider/duration";
import type { Column } from "../table";
import { ageOf } from "./inventory";

/**
 * The columns that describe a key.
 * @param now - The service's time, in milliseconds.
 */
export function keyColumns(now: number): Column<ApiKeyRecord>[] {
  return [
    { title: "ID", text: ({ id }) => id },
    { title: "NAME", text: ({ name }) => name, atLeast: 16 },
    { title: "AGE", text: ({ createdAt }) => formatDuration(ageOf(createdAt, now)) },
    { title: "LAST USE", text: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formatAgo(lastUsedAt, now)) },
    { title: "FROM", text: ({ lastUsedFromAddr }) => lastUsedFromAddr ?? "-", dispensable: true },
  ];
}

function formatAgo(time: string, now: number): string {
  return `${formatDuration(ageOf(time, now))} ago`;
}
