// Reads information about keys from stack states, without decrypting anything.
export type { Role, StackState } from "./stack-state";
export { heldBy, readStates, withStates } from "./states";
