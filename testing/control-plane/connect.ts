import { controlClient } from "./control/client";
import type { ControlPlane } from "./control-plane";

/**
 * Connects to a control plane in another process.
 * @param controlUrl - Its control URL, which ends in `/_control`.
 */
export async function connectControlPlane(controlUrl: string): Promise<ControlPlane> {
  const base = controlUrl.replace(/\/$/, "");
  const response = await fetch(base);
  if (!response.ok) throw new Error(`no control plane answers at ${base}: status ${response.status}`);
  const info = (await response.json()) as Pick<ControlPlane, "url" | "controlUrl"> & { apiKey?: string };
  return { ...info, apiKey: info.apiKey ?? "", ...controlClient(info.controlUrl, fetch), close: async () => {} };
}
