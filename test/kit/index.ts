/** `keyplane/testing`: what runs programs that use keyplane on one machine, with no account and no network. */
export {
  type ControlPlane,
  type ControlPlaneOptions,
  connectControlPlane,
  type LiveKey,
  type LogEntry,
  type Rule,
  startControlPlane,
} from "./control-plane";
