// Reads information about keys in stack states, without decrypting anything.
export type { Role, StackState } from "../../provider/stack/stack-state";
export type { Explained } from "./pulumi-stack";
export { explained, pulumiFor, readStackName, type StackName, shownStack } from "./pulumi-stack";
export { isFolder, stateFilesIn, unpacked } from "./state-files";
export {
  hasStates,
  heldBy,
  type ReadState,
  readDeployments,
  readStates,
  type StateFlags,
  withStates,
} from "./states";
