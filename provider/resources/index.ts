// The kinds of resource there are, each in a file of its own. Nothing here knows Pulumi or HTTP.
export { check } from "./check";
export { type Difference, diff } from "./diff";
export { UNKNOWN } from "./fields";
export { noteHolder } from "./holders";
export { type Context, type Failure, type Kind, NotReady, newRunNotes, type Properties, type RunNotes } from "./kind";
export { kinds } from "./kinds";
export { nameInUrn } from "./names";
export { type Place, placeKey, placeOf } from "./place";
