// The process of the control plane: tells its parent where it is, and ends with it.
import { startControlPlane } from "../testing/control-plane";

process.once("disconnect", () => process.exit(0));
void startControlPlane({ clock: { mode: "real" } }).then(({ controlUrl }) => process.send?.(controlUrl));
