import { dirname, join, parse, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** keyplane's own classes. In a bundle, a program's frames are in the same file, so there none is keyplane's. */
const OWN = parse(__filename).name === "traces" ? join(dirname(__dirname), sep) : undefined;

/** Pulumi's SDK, under each package manager. */
const PULUMI = join(sep, "node_modules", "@pulumi", "pulumi", sep);

/**
 * Stops stack traces until the returned function is called. Pulumi takes one for each of four promises of each property
 * of a resource, to show where an unresolved promise was created. With source maps, they took more time than the rest
 * of a key's registration. Not in a base class, because its frame would be taken for the program's.
 *
 * The trace that Pulumi takes in spite of the pause, to record where the program declares a resource, keeps the frames
 * of the program. The others were a sixth of a key's state, and a file backend writes the state at each step.
 */
export function pauseTraces(): () => void {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 0;
  if (prepareStackTrace !== undefined) {
    Error.prepareStackTrace = (error, frames) => prepareStackTrace(error, programFrames(frames));
  }
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
    if (prepareStackTrace !== undefined) Error.prepareStackTrace = prepareStackTrace;
  };
}

/** The frames of Pulumi's classes and of the resource's class, which Pulumi skips, and then those of the program. */
function programFrames(frames: NodeJS.CallSite[]): NodeJS.CallSite[] {
  const own = frames.findIndex((frame) => !fileOf(frame).includes(PULUMI));
  return frames.filter((frame, at) => {
    const file = fileOf(frame);
    const isOwn = OWN !== undefined && file.startsWith(OWN);
    return at <= own || (file !== "" && !isOwn && !file.startsWith("node:") && !file.includes(PULUMI));
  });
}

/** The file of a frame; empty for one of the runtime. */
function fileOf(frame: NodeJS.CallSite): string {
  const file = frame.getFileName() ?? "";
  return file.startsWith("file:") ? fileURLToPath(file) : file;
}
