// The report command. Only its options are loaded with the command line.
export { addReport } from "./report";
