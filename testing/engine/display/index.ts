// Displays a run: live in a terminal, or line by line in a pipe.
export { type Display, type DisplayOptions, displayOptionsFor, openDisplay } from "./display";
