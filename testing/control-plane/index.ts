/** The embedded control plane: a local version of the service for tests, demos and development. */
export type { ClockMode, ClockReading, ClockSettings } from "./clock";
export { connectControlPlane } from "./connect";
export type { ControlPlane, LiveKey, StartedOperations } from "./control-plane";
export type { HeldRequest } from "./faults/held";
export type { Commit, Fault, HeldRule, Rule, RuleOperation } from "./faults/rule";
export type { Effect, LogEntry, LogFilter } from "./request-log";
export { type ControlPlaneOptions, startControlPlane } from "./start";
export type { OperationCourse, TiedOperations } from "./state/operations";
export type { ProjectSeed } from "./state/projects";
export type { Seed, StateSnapshot } from "./state/state";
export type { ProjectKeys, Switches } from "./state/switches";
