/** Whether a version is at least another one. Ignores everything after a hyphen. */
export function isAtLeast(version: string, least: string): boolean {
  return (version.split("-", 1)[0] ?? "").localeCompare(least, "en", { numeric: true }) >= 0;
}

/** Returns the lower bound of a range such as `>=3.150.0 <4`. */
export function lowerBound(range: string): string {
  return /\d{1,6}\.\d{1,6}\.\d{1,6}/.exec(range)?.[0] ?? "0.0.0";
}
