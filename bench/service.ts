// The process of the control plane: reports its address to its parent, and ends with it.
import { startControlPlane } from "../testing/control-plane";

process.once("disconnect", () => process.exit(0));
void startControlPlane({ clock: { mode: "real" } }).then(({ controlUrl }) => process.send?.(controlUrl));
