/** The kinds of steps of a run. */
export { CreateStep } from "./create-step";
export { DeleteStep, ProtectedError, RemovePendingReplaceStep } from "./delete-step";
export { RefreshStep } from "./refresh-step";
export { ReplaceStep } from "./replace-step";
export { SameStep } from "./same-step";
export { type Outcome, type Step, subjectOf } from "./step";
export { UpdateStep } from "./update-step";
