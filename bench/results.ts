/** One line of the results: keyplane beside what is possible and what a first attempt costs. */
export interface Row {
  readonly scenario: string;
  /** How many keys, operations or calls. */
  readonly n: number;
  /** Simulated round trip. */
  readonly rttMs: number;
  readonly requests: number;
  readonly requestsFloor: number;
  readonly requestsNaive: number | null;
  /** Medians, in milliseconds; for `state`, bytes for each key. */
  readonly ms: number;
  readonly msFloor: number;
  readonly msNaive: number | null;
  readonly ratioToFloor: number;
  /** Below 1 where keyplane costs less than the naive pattern; `null` where that is not run. */
  readonly ratioToNaive: number | null;
  /** What it must not exceed, for people; `null` where it is only shown. */
  readonly target: string | null;
  /** `null` where there is no target. */
  readonly met: boolean | null;
  /** What `ms` counts. */
  readonly unit: "ms" | "bytes";
}

/** What a scenario must not exceed. */
export interface Target {
  readonly requests?: (n: number) => number;
  /** Of the time, as a ratio to the floor. */
  readonly ratio?: number;
  /** Of the time beyond the floor, in milliseconds; or of the bytes. */
  readonly most?: number;
}

type Figures = Omit<Row, "ratioToFloor" | "ratioToNaive" | "target" | "met">;

/** Judges figures by their target. A ratio counts only where it was taken at a size that it is meant for. */
export function judged(figures: Figures, target: Target, ratioCounts: boolean): Row {
  const { n, requests, ms, msFloor, msNaive, unit } = figures;
  const ratioToFloor = ms / msFloor;
  const ratioToNaive = msNaive === null ? null : ms / msNaive;
  const most = target.requests?.(n);
  const said: string[] = [];
  let met = true;
  if (most !== undefined) {
    said.push(`${most} requests`);
    met &&= requests <= most;
  }
  if (target.ratio !== undefined && ratioCounts) {
    said.push(`${target.ratio.toFixed(2)} x floor`);
    met &&= ratioToFloor <= target.ratio;
  }
  if (target.most !== undefined) {
    said.push(unit === "bytes" ? `${target.most} bytes` : `floor + ${target.most} ms`);
    met &&= (unit === "bytes" ? ms : ms - msFloor) <= target.most;
  }
  const judgement =
    said.length === 0 ? { target: null, met: null } : { target: said.map((each) => `<= ${each}`).join(", "), met };
  return { ...figures, ratioToFloor, ratioToNaive, ...judgement };
}

/** The middle of several values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}

/** The power with which cost grows with size (1 = linear), fitted to the logarithms; of two sizes or more. */
export function growth(points: readonly { readonly n: number; readonly cost: number }[]): number {
  const logs = points.map(({ n, cost }) => [Math.log(n), Math.log(cost)] as const);
  const mean = (at: 0 | 1) => logs.reduce((sum, each) => sum + each[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, each) => sum + (each[0] - x) * (each[1] - y), 0);
  return covariance / logs.reduce((sum, each) => sum + (each[0] - x) ** 2, 0);
}
