// Tests of programs: one call deploys a program, and the result shows what the program did.
export { type DeployOptions, deploy } from "./deploy";
export { DeployError } from "./deploy-error";
export { type CommandOptions, DeployedProgram } from "./deployed-program";
