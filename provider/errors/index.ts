// The errors that this package throws. `codes.ts` has the page of each code, and the messages stand where they are thrown.
export * from "./codes";
export * from "./keyplane-error";
export * from "./service-errors";
