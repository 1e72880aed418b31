import type { ProgramOptions, RunningProgram } from "../program/program";
import type { HostOptions, RunningHost } from "../provider/host";

/** How to start the processes of a pass. */
export interface Processes {
  program(options: ProgramOptions): RunningProgram;
  host(options: HostOptions): RunningHost;
}
