import type { OperationRef } from "../provider/api";
import type { ControlPlane, Rule } from "../testing/control-plane";
import type { Target } from "./results";
import type { Variant } from "./task";

/** A measurement of the provider's functions, without an engine. */
export interface Scenario {
  readonly name: string;
  /** The work, if it is shared with another scenario. @default the name */
  readonly work?: string;
  /** How keyplane is called. @default "keyplane" */
  readonly own?: Variant;
  readonly sizes: readonly number[];
  readonly quickSizes: readonly number[];
  /** Simulated round trips, in milliseconds. */
  readonly rtts: readonly number[];
  /** Maximum size for the naive pattern. Larger sizes take too long. */
  readonly naiveUpTo: number;
  /**
   * Minimum size and round trip at which the ratio of times is judged. At smaller sizes, single milliseconds dominate.
   * `upTo` is the maximum size that the target covers.
   */
  readonly judgedFrom: { readonly n: number; readonly rttMs: number; readonly upTo?: number };
  readonly target: Target;
  /** What the service does to requests. */
  readonly rule?: Rule;
  /** Creates the service's state before each measurement. Without it, a scenario starts with an empty service. */
  readonly prepare?: (plane: ControlPlane, n: number) => Promise<readonly OperationRef[]>;
  /** Whether the service enforces its documented rates. */
  readonly limited?: boolean;
  /** Number of processes that share the work, each with its own stack. @default 1 */
  readonly processes?: number;
  /** Whether exactly the requested keys must exist afterwards, each once. */
  readonly makesKeys?: boolean;
  /** Whether a measurement leaves the state unchanged, so that it is created only once. */
  readonly keepsState?: boolean;
}

/** Time between two polls, and the duration of operations. Like 5 s and 60 s, but 10 times as fast. */
export const POLL_INTERVAL_MS = 500;
const OPERATION_MS = 6_000;
const PROJECTS = 10;
const PAGE = 1000;

const SIZES = [1, 10, 100, 1000];

/** Two processes of one account share the service's rate limit. */
const PACED_BY_TWO = {
  sizes: [400],
  quickSizes: [120],
  rtts: [20],
  naiveUpTo: 0,
  judgedFrom: { n: 400, rttMs: 20 },
  target: { ratio: 1.2 },
  limited: true,
  processes: 2,
  makesKeys: true,
};

const provider: readonly Scenario[] = [
  {
    name: "create",
    sizes: SIZES,
    quickSizes: [10, 100],
    rtts: [20, 0],
    naiveUpTo: 1000,
    judgedFrom: { n: 1000, rttMs: 20 },
    target: { requests: (n) => n + 1, ratio: 1.15 },
  },
  {
    name: "refresh",
    sizes: [...SIZES, 10_000],
    quickSizes: [10, 100],
    rtts: [20, 0],
    naiveUpTo: 100,
    judgedFrom: { n: 1000, rttMs: 20, upTo: 1000 },
    target: { requests: () => 1, ratio: 1.5 },
    keepsState: true,
    prepare: async (plane, n) => {
      // In steps of 100: ten thousand simultaneous connections overflow the listener's queue.
      for (let at = 0; at < n; at += 100) {
        const names = Array.from({ length: Math.min(100, n - at) }, (_, next) => `key-${at + next}`);
        await Promise.all(names.map((name) => plane.state.createKey(name)));
      }
      return [];
    },
  },
  {
    name: "rotate",
    sizes: SIZES,
    quickSizes: [10, 100],
    rtts: [20, 0],
    naiveUpTo: 1000,
    judgedFrom: { n: 1000, rttMs: 20 },
    target: { requests: (n) => 2 * n + 1, ratio: 1.15 },
  },
  {
    name: "retire",
    sizes: SIZES,
    quickSizes: [10, 100],
    rtts: [20, 0],
    naiveUpTo: 0,
    judgedFrom: { n: 1000, rttMs: 20 },
    target: { requests: (n) => n + 1, ratio: 1.15 },
    makesKeys: true,
  },
  {
    name: "destroy",
    sizes: SIZES,
    quickSizes: [10, 100],
    rtts: [20, 0],
    naiveUpTo: 1000,
    judgedFrom: { n: 1000, rttMs: 20 },
    target: { requests: (n) => n + 1, ratio: 1.15 },
  },
  {
    name: "list-operations",
    sizes: [10_000, 100_000],
    quickSizes: [3_000],
    rtts: [20, 0],
    naiveUpTo: 0,
    judgedFrom: { n: 100_000, rttMs: 20 },
    target: { requests: (n) => n / PAGE + 2, ratio: 1.1 },
    keepsState: true,
    prepare: async (plane, n) => {
      const { id: projectId } = await plane.state.createProject();
      await plane.state.startOperations({ projectId, count: n, gapMs: 1000, schedulingMs: 0, runningMs: 0 });
      return [{ projectId, id: "" }];
    },
  },
  {
    name: "wait",
    sizes: [100],
    quickSizes: [20],
    rtts: [20],
    naiveUpTo: 100,
    judgedFrom: { n: 100, rttMs: Number.POSITIVE_INFINITY },
    target: { requests: () => PROJECTS * (OPERATION_MS / POLL_INTERVAL_MS + 2) },
    prepare: async (plane, n) => {
      const projects = await Promise.all(Array.from({ length: PROJECTS }, () => plane.state.createProject()));
      const start = async ({ id: projectId }: { readonly id: string }) => {
        const course = { count: n / PROJECTS, schedulingMs: 1000, runningMs: OPERATION_MS - 1000 };
        const { ids } = await plane.state.startOperations({ projectId, ...course });
        return ids.map((id) => ({ projectId, id }));
      };
      return (await Promise.all(projects.map(start))).flat();
    },
  },
  {
    name: "outage",
    sizes: [1000],
    quickSizes: [1000],
    rtts: [0],
    naiveUpTo: 1000,
    judgedFrom: { n: 1000, rttMs: Number.POSITIVE_INFINITY },
    target: { requests: (n) => 1.05 * n },
    rule: { route: "*", status: 503, count: null },
    keepsState: true,
  },
  {
    name: "storm",
    sizes: [1000],
    quickSizes: [100],
    rtts: [0],
    naiveUpTo: 0,
    judgedFrom: { n: 1000, rttMs: Number.POSITIVE_INFINITY },
    target: { requests: (n) => 1.3 * n },
    rule: { route: "POST /api_keys", status: 429, count: null, every: 5 },
    makesKeys: true,
  },
  {
    name: "paced",
    sizes: [200],
    quickSizes: [60],
    rtts: [20],
    naiveUpTo: 0,
    judgedFrom: { n: 200, rttMs: 20 },
    // One response in a hundred may be 429.
    target: { requests: (n) => Math.floor(1.01 * (n + 1)), ratio: 1.05 },
    limited: true,
    makesKeys: true,
  },
  {
    ...PACED_BY_TWO,
    name: "paced-two",
    work: "paced",
    // One response in a hundred may be 429. Each process sends one list, and learns of the other from its first 429: with
    // fewer keys, those alone are more.
    target: { requests: (n) => (n < 400 ? undefined : Math.floor(1.01 * (n + 2))), ratio: 1.2 },
  },
  { ...PACED_BY_TWO, name: "paced-learned" },
  {
    name: "faults",
    sizes: [1000],
    quickSizes: [200],
    rtts: [0],
    naiveUpTo: 0,
    judgedFrom: { n: 1000, rttMs: Number.POSITIVE_INFINITY },
    target: { requests: (n) => Math.floor(1.05 * n) + 1 },
    // One request in a hundred creates its key, but the response is lost.
    rule: { route: "POST /api_keys", fault: "reset", commit: "before", count: null, skip: 50, every: 100 },
    makesKeys: true,
  },
];

/** The scenarios, in display order. */
export const scenarios: readonly Scenario[] = [
  ...provider,
  ...["create", "refresh", "rotate", "destroy"].map(throughHost),
];

/** The same work through Pulumi's host. The floor is the same, so the time includes the host's cost. */
function throughHost(work: string): Scenario {
  const direct = provider.find(({ name }) => name === work);
  if (direct === undefined) throw new Error(`no such scenario: ${work}`);
  const { target, rtts, ...rest } = direct;
  const sizes = { sizes: [100, 1000], quickSizes: [10], rtts: rtts.filter((rttMs) => rttMs > 0), naiveUpTo: 0 };
  const requests = target.requests === undefined ? {} : { requests: target.requests };
  return { ...rest, ...sizes, name: `${work}-host`, work, own: "host", target: requests };
}
