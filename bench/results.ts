/** One row of the results: keyplane compared with the floor and the naive pattern. */
export interface Log {
  readonly scenario: string;
  /** Number of keys, operations or calls. */
  readonly n: number;
  /** Simulated round trip. */
  readonly rttMs: number;
  readonly requests: number;
  readonly requestsFloor: number;
  readonly requestsNaive: number | null;
  /** Median in milliseconds. For `state`, bytes per key. */
  readonly ms: number;
  readonly msFloor: number;
  readonly msNaive: number | null;
  readonly ratioToFloor: number;
  /** Below 1 if keyplane costs less than the naive pattern. `null` if that was not run. */
  readonly ratioToNaive: number | null;
  /** The limit as text. `null` if there is none. */
  readonly target: string | null;
  /** `null` if there is no target. */
  readonly met: boolean | null;
  /** The unit of `ms`. */
  readonly unit: "ms" | "bytes";
}

/** The limits of a scenario. */
export interface Target {
  /** Maximum requests; undefined at sizes that it does not cover. */
  readonly requests?: (n: number) => number | undefined;
  /** Maximum time, as a ratio to the floor. */
  readonly ratio?: number;
  /** Maximum time beyond the floor in milliseconds, or maximum bytes. */
  readonly most?: number;
}

type Figures = Omit<Log, "ratioToFloor" | "ratioToNaive" | "target" | "met">;

/** Compares figures with their target. A ratio counts only if it was measured at a size that the target covers. */
export function judged(figures: Figures, target: Target, ratioCounts: boolean): Log {
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

/** Results in which newly measured rows replace earlier ones of the same work. Other new rows are added. */
export function merged(earlier: readonly Log[], measured: readonly Log[]): readonly Log[] {
  const nameOf = ({ scenario, n, rttMs }: Log) => `${scenario} ${n} ${rttMs}`;
  const left = new Map(measured.map((row) => [nameOf(row), row]));
  const kept = earlier.map((row) => {
    const again = left.get(nameOf(row));
    left.delete(nameOf(row));
    return again ?? row;
  });
  return [...kept, ...left.values()];
}

/** The median of several values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? 0) + (sorted[Math.ceil(at)] ?? 0)) / 2;
}

/** The exponent with which cost grows with size (1 = linear), fitted to the logarithms of at least two sizes. */
export function growth(points: readonly { readonly n: number; readonly cost: number }[]): number {
  const logs = points.map(({ n, cost }) => [Math.log(n), Math.log(cost)] as const);
  const mean = (at: 0 | 1) => logs.reduce((sum, each) => sum + each[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = logs.reduce((sum, each) => sum + (each[0] - x) * (each[1] - y), 0);
  return covariance / logs.reduce((sum, each) => sum + (each[0] - x) ** 2, 0);
}
