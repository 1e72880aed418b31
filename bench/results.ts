/** What one measurement found. */
export interface Sample {
  readonly requests: number;
  readonly ms: number;
}

/** The requests that a row must have, and the most time, as a multiple of what it is compared with. */
export interface Target {
  readonly requests: number;
  readonly ratio?: number | undefined;
}

/** One row of the results. */
export interface Row {
  readonly name: string;
  /** Number of keys. */
  readonly n: number;
  readonly requests: number;
  /** Medians in milliseconds: keyplane's, and those of what it is compared with. */
  readonly ms: number;
  readonly msBase: number;
  readonly target: Target;
  readonly isMet: boolean;
}

/** A row from the samples of keyplane and of what it is compared with. */
export function rowOf(
  { name, n, target }: Pick<Row, "name" | "n" | "target">,
  own: readonly Sample[],
  base: readonly Sample[],
): Row {
  const requests = median(own.map((sample) => sample.requests));
  const [ms, msBase] = [own, base].map((samples) => median(samples.map((sample) => sample.ms))) as [number, number];
  const isMet = requests === target.requests && ms <= msBase * (target.ratio ?? Number.POSITIVE_INFINITY);
  return { name, n, requests, ms, msBase, target, isMet };
}

/** Takes samples of both, alternately, so that a change of the machine's speed meets both. */
export async function compare<T>(runs: number, own: () => Promise<T>, base: () => Promise<T>): Promise<[T[], T[]]> {
  const samples: [T[], T[]] = [[], []];
  const takes = [async () => samples[0].push(await own()), async () => samples[1].push(await base())];
  for (let run = 0; run < runs; run++) {
    for (const take of run % 2 === 0 ? [...takes].reverse() : takes) await take();
  }
  return samples;
}

/** Formats rows as a table in Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, n, requests, ms, msBase, target, isMet }) => [
    ...[name, String(n), String(requests), ms.toFixed(0), msBase.toFixed(0), (ms / msBase).toFixed(2)],
    `${target.requests} requests${target.ratio === undefined ? "" : `, ${target.ratio} times`}`,
    isMet ? "met" : "MISSED",
  ]);
  const head = ["row", "keys", "requests", "ms", "compared", "ratio", "target", ""];
  const widths = head.map((_, at) => Math.max(3, ...[head, ...lines].map((line) => line[at]?.length ?? 0)));
  const ruler = widths.map((width) => "-".repeat(width));
  return [head, ruler, ...lines]
    .map((line) => `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`)
    .join("");
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}
