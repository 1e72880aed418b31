// The doctor command, with one file for each subject of its checks.
export { addDoctor } from "./doctor";
