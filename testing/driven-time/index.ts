// Time that a control plane drives: what a provider sleeps, the plane's clock jumps, so that no test waits.
export { drivenTime } from "./driven-time";
