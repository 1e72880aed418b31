import {
  A,
  CONSUMER,
  compromised,
  DELETE,
  EVERY,
  EVERY_AND_BACK,
  exact,
  graceOver,
  KEY_OF_A,
  LIST,
  lost,
  one,
  other,
  POST,
  ROTATING,
  request,
  rotated,
  rotating,
  rotatingSealed,
  sealed,
  triggered,
  two,
  VERIFY,
} from "./programs";
import type { Scenario } from "./scenario";

const before = rotating({ rotationTriggers: { trigger: "1" }, gracePeriod: "1s" });
const inPlace = rotating({ revokeNow: KEY_OF_A, retirement: "inPlace" });

/** Everything that the plugin does with keys. */
export const pluginScenarios: readonly Scenario[] = [
  {
    name: "first create",
    start: { runs: [] },
    command: "up",
    program: one,
    targets: [{ urn: A, op: "create", requests: [request(LIST), request(POST)], returns: "create ApiKey" }],
    next: EVERY,
  },
  {
    name: "create",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    targets: [{ urn: A, op: "create", requests: [request(LIST), request(POST)], returns: "create ApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "create, answer lost",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    faults: [lost],
    targets: [{ urn: A, op: "create", requests: [request(LIST, 1), request(DELETE), request(POST, 1, 1)] }],
    next: EVERY,
  },
  {
    name: "replace",
    start: { runs: [{ program: triggered("1") }] },
    command: "up",
    program: triggered("2"),
    targets: [
      {
        urn: A,
        op: "create-replacement",
        requests: [request(LIST), request(POST)],
        returns: "create ApiKey",
      },
      { urn: CONSUMER, op: "update", requests: [] },
      { urn: A, op: "delete-replaced", requests: [request(DELETE)], returns: "delete ApiKey" },
    ],
    next: EVERY_AND_BACK,
  },
  {
    name: "replace, exact name",
    start: { runs: [{ program: exact("1") }] },
    deletesFirst: true,
    command: "up",
    program: exact("2"),
    targets: [
      { urn: A, op: "delete-replaced", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" },
      { urn: A, op: "create-replacement", requests: [request(LIST, 1), request(POST)], returns: "create ApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "update",
    // The answer to the first creation had no id, and that key could not be revoked. The update has to revoke it.
    start: {
      runs: [
        { program: other },
        {
          program: two,
          rules: [
            { route: POST, omit: ["key"] },
            { route: DELETE, status: 500, count: 3 },
          ],
        },
      ],
    },
    command: "up",
    program: { ...two, a: { ...one.a, operationTimeout: "5m" } },
    targets: [{ urn: A, op: "update", requests: [request(LIST), request(DELETE)], returns: "update ApiKey" }],
    next: EVERY,
  },
  {
    name: "refresh",
    start: { runs: [{ program: two }], orphan: true },
    command: "refresh",
    program: two,
    targets: [{ urn: A, op: "read", requests: [request(LIST)] }],
    next: EVERY,
  },
  {
    name: "sweep",
    start: { runs: [{ program: triggered("1") }], orphan: true },
    command: "up",
    program: triggered("2"),
    targets: [
      {
        urn: A,
        op: "create-replacement",
        requests: [request(LIST), request(DELETE), request(POST)],
        returns: "create ApiKey",
      },
      { urn: A, op: "delete-replaced", requests: [request(DELETE, 1)], returns: "delete ApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "remove",
    start: { runs: [{ program: two }], orphan: true },
    command: "up",
    program: other,
    targets: [
      {
        urn: A,
        op: "delete",
        requests: [request(LIST), request(DELETE), request(DELETE, 1)],
        returns: "delete ApiKey",
      },
    ],
    next: EVERY_AND_BACK,
  },
  {
    name: "destroy",
    start: { runs: [{ program: one }], orphan: true },
    command: "destroy",
    program: one,
    targets: [
      { urn: CONSUMER, op: "delete", requests: [] },
      {
        urn: A,
        op: "delete",
        requests: [request(LIST), request(DELETE), request(DELETE, 1)],
        returns: "delete ApiKey",
      },
    ],
    next: EVERY,
  },
  {
    name: "exchange",
    start: { runs: [{ program: one }] },
    exchange: true,
    command: "up",
    program: one,
    targets: [{ urn: A, op: "update", requests: [request(LIST)], returns: "update ApiKey" }],
    next: EVERY,
  },
  {
    name: "destroy after an exchange",
    start: { runs: [{ program: one }, { program: one, exchange: true }] },
    command: "destroy",
    program: one,
    targets: [{ urn: A, op: "delete", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" }],
    next: EVERY,
  },
  {
    name: "rotate",
    start: { runs: [{ program: rotating({ rotationTriggers: { trigger: "1" } }) }] },
    command: "up",
    program: rotating({ rotationTriggers: { trigger: "2" } }),
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST), request(POST)], returns: "update RotatingApiKey" },
    ],
    next: EVERY_AND_BACK,
  },
  {
    name: "create, sealed",
    start: { runs: [{ program: other }] },
    command: "up",
    program: sealed(0),
    targets: [
      { urn: A, op: "create", requests: [request(LIST), request(POST), request(VERIFY)], returns: "create ApiKey" },
    ],
    next: EVERY_AND_BACK,
  },
  {
    name: "replace, other recipients",
    start: { runs: [{ program: sealed(0) }] },
    command: "up",
    program: sealed(1),
    targets: [
      {
        urn: A,
        op: "create-replacement",
        requests: [request(LIST), request(POST), request(VERIFY)],
        returns: "create ApiKey",
      },
      { urn: CONSUMER, op: "update", requests: [] },
      { urn: A, op: "delete-replaced", requests: [request(DELETE)], returns: "delete ApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "rotate, other recipients",
    start: { runs: [{ program: rotatingSealed(0) }] },
    command: "up",
    program: rotatingSealed(1),
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST), request(POST)], returns: "update RotatingApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "revoke now",
    start: { runs: [{ program: rotating({}) }] },
    command: "up",
    program: compromised,
    targets: [
      {
        urn: ROTATING,
        op: "create-replacement",
        requests: [request(LIST), request(POST)],
        returns: "create RotatingApiKey",
      },
      { urn: CONSUMER, op: "update", requests: [] },
      { urn: ROTATING, op: "delete-replaced", requests: [request(DELETE)], returns: "delete RotatingApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "revoke now, in place",
    start: { runs: [{ program: rotating({}) }, { program: inPlace }] },
    command: "up",
    program: inPlace,
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST), request(DELETE)], returns: "update RotatingApiKey" },
    ],
    next: EVERY,
  },
  {
    name: "retire, while a consumer fails",
    // The consumer still has the previous key, so its grace begins again.
    start: { ...graceOver, runs: [{ program: before }, { program: rotated, failing: "a-consumer" }] },
    command: "up",
    program: rotated,
    failing: "a-consumer",
    targets: [{ urn: ROTATING, op: "update", requests: [], returns: "update RotatingApiKey" }],
    next: EVERY,
  },
  {
    name: "retire",
    start: graceOver,
    command: "up",
    program: rotated,
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST), request(DELETE)], returns: "update RotatingApiKey" },
    ],
    next: EVERY,
  },
];
