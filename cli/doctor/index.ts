// The check-up: one file for each thing that is looked at.
export { addDoctor } from "./doctor";
