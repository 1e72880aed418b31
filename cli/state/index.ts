// Reads information about keys from stack states, without decrypting anything.
export type { Role, StackState } from "../../provider/stack/stack-state";
export { heldBy, type ReadState, readDeployments, readStates, withStates } from "./states";
