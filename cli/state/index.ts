// Reads information about keys from stack states, without decrypting anything.
export type { Role, StackState } from "../../provider/stack/stack-state";
export { heldBy, readStates, withStates } from "./states";
