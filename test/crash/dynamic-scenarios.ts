import {
  A,
  CONSUMER,
  DELETE,
  EVERY,
  EVERY_AND_BACK,
  exact,
  graceOver,
  LIST,
  lost,
  one,
  other,
  POST,
  ROTATING,
  request,
  rotated,
  rotating,
  triggered,
  two,
} from "./programs";
import type { Scenario } from "./scenario";

const OWNER = "Owner::keyplane";
const LEDGER = "Ledger::keyplane";

/** Everything that the dynamic provider does with keys. */
export const dynamicScenarios: readonly Scenario[] = [
  {
    name: "first create",
    start: { runs: [] },
    command: "up",
    program: one,
    targets: [
      { urn: OWNER, op: "create", requests: [request(LIST)], returns: "create Owner" },
      { urn: A, op: "create", requests: [request(POST)], returns: "create ApiKey" },
      { urn: LEDGER, op: "create", requests: [], returns: "create Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "create",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    targets: [{ urn: A, op: "create", requests: [request(POST)], returns: "create ApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "create, answer lost",
    start: { runs: [{ program: other }] },
    command: "up",
    program: two,
    faults: [lost],
    targets: [{ urn: A, op: "create", requests: [request(LIST), request(DELETE), request(POST, 1, 1)] }],
    next: EVERY,
  },
  {
    name: "replace",
    start: { runs: [{ program: triggered("1") }] },
    command: "up",
    program: triggered("2"),
    targets: [
      { urn: A, op: "create-replacement", requests: [request(POST)], returns: "create ApiKey" },
      { urn: CONSUMER, op: "update", requests: [] },
      { urn: LEDGER, op: "update", requests: [request(LIST)], returns: "update Ledger" },
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
      { urn: A, op: "delete-replaced", requests: [request(DELETE)], returns: "delete ApiKey" },
      { urn: A, op: "create-replacement", requests: [request(LIST), request(POST)], returns: "create ApiKey" },
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
    targets: [{ urn: A, op: "update", requests: [request(DELETE)], returns: "update ApiKey" }],
    next: EVERY,
  },
  {
    name: "refresh",
    start: { runs: [{ program: two }], orphan: true },
    command: "refresh",
    program: two,
    targets: [
      { urn: A, op: "read", requests: [request(LIST)] },
      { urn: LEDGER, op: "read", requests: [], returns: "read Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "sweep",
    start: { runs: [{ program: two }], orphan: true, refresh: true },
    command: "up",
    program: two,
    targets: [{ urn: LEDGER, op: "update", requests: [request(LIST), request(DELETE)], returns: "update Ledger" }],
    next: EVERY,
  },
  {
    name: "remove",
    start: { runs: [{ program: two }] },
    command: "up",
    program: other,
    targets: [{ urn: A, op: "delete", requests: [request(DELETE)], returns: "delete ApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "destroy",
    start: { runs: [{ program: one }], orphan: true },
    command: "destroy",
    program: one,
    targets: [
      { urn: LEDGER, op: "delete", requests: [], returns: "delete Ledger" },
      { urn: CONSUMER, op: "delete", requests: [] },
      { urn: A, op: "delete", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" },
      { urn: OWNER, op: "delete", requests: [request(DELETE, 1)], returns: "delete Owner" },
    ],
    next: EVERY,
  },
  {
    name: "exchange",
    start: { runs: [{ program: one }] },
    exchange: true,
    command: "up",
    program: two,
    targets: [{ urn: OWNER, op: "update", requests: [request(LIST)], returns: "update Owner" }],
    next: EVERY,
  },
  {
    name: "destroy after an exchange",
    start: { runs: [{ program: one }, { program: one, exchange: true }] },
    command: "destroy",
    program: one,
    targets: [
      { urn: A, op: "delete", requests: [request(LIST), request(DELETE)], returns: "delete ApiKey" },
      { urn: OWNER, op: "delete", requests: [], returns: "delete Owner" },
    ],
    next: EVERY,
  },
  {
    name: "rotate",
    start: { runs: [{ program: rotating({ rotationTriggers: { trigger: "1" } }) }] },
    command: "up",
    program: rotating({ rotationTriggers: { trigger: "2" } }),
    targets: [{ urn: ROTATING, op: "update", requests: [request(POST)], returns: "update RotatingApiKey" }],
    next: EVERY_AND_BACK,
  },
  {
    name: "retire, while a consumer fails",
    start: graceOver,
    command: "up",
    program: { ...rotated, c: { consumer: "holds" } },
    failing: "c-consumer",
    continues: true,
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST)], returns: "update RotatingApiKey" },
      { urn: LEDGER, op: "update", requests: [], returns: "update Ledger" },
    ],
    next: EVERY,
  },
  {
    name: "retire",
    start: graceOver,
    command: "up",
    program: rotated,
    targets: [
      { urn: ROTATING, op: "update", requests: [request(LIST)], returns: "update RotatingApiKey" },
      { urn: LEDGER, op: "update", requests: [request(DELETE)], returns: "update Ledger" },
    ],
    next: EVERY,
  },
];
