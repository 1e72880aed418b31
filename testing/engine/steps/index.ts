/** The kinds of steps of a run. */
export { CreateStep } from "./create-step";
export { DeleteStep, ProtectedError, RemovePendingReplaceStep } from "./delete-step";
export { ImportStep } from "./import-step";
export { type ReadGoal, type ReadResult, ReadStep } from "./read-step";
export { RefreshStep } from "./refresh-step";
export { ReplaceStep } from "./replace-step";
export { SameStep } from "./same-step";
export { type Outcome, type Step, subjectOf } from "./step";
export { UpdateStep } from "./update-step";
