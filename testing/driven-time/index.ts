// Time driven by a control plane: when a provider sleeps, the control plane's clock jumps, so that tests do not wait.
export { drivenTime } from "./driven-time";
