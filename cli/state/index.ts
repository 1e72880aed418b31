// What states of stacks tell about keys, read without decrypting anything.
export type { Role, StackState } from "./stack-state";
export { heldBy, readStates, withStates } from "./states";
