// The data sources without Pulumi: functions that check their arguments and read from an account.

export * from "./api-keys";
export type { CallArgs } from "./args";
export { hideArguments } from "./hide-arguments";
export * from "./operations";
export * from "./projects";
export * from "./wait";
