// Displays a run: live in a terminal, line by line in a pipe, or as JSON.
export { digestOf, type RunDigest } from "./digest";
export { type Display, type DisplayOptions, displayOptionsFor, openDisplay } from "./display";
