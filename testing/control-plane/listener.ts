import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { breakAnswer } from "./faults/raw-answer";
import type { Plane } from "./plane";

/** The only address that the control plane listens on. */
const host = "127.0.0.1";

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error & { code?: string }): void => {
      reject(error.code === "EADDRINUSE" ? new Error(`port ${port} of ${host} is in use`) : error);
    };
    server.once("error", refused);
    server.listen(port, host, () => {
      server.off("error", refused);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Closes a server and all its connections, if it is listening. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The API's port, and a separate port for the control endpoints that stays open while the API refuses connections. */
export class PlaneListener {
  private readonly api: Server;
  private readonly control: Server;
  private apiPort = 0;
  private controlPort = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param plane - Its rules can affect a connection before any request.
   * @param api - Serves the API and the control endpoints.
   * @param control - Serves the control endpoints.
   */
  constructor(plane: Plane, api: RequestListener, control: RequestListener) {
    this.api = createServer(api);
    this.control = createServer(control);
    this.api.on("connection", (socket) => {
      const rule = plane.rules.forConnection();
      if (rule?.fault) breakAnswer(socket, rule.fault, { status: 0, headers: {}, body: "" });
    });
    // Longer than any test, so that only rules close connections.
    this.api.keepAliveTimeout = 600_000;
  }

  /** The API's origin. */
  get origin(): string {
    return `http://${host}:${this.apiPort}`;
  }

  /** Origin of the control endpoints' own port. */
  get controlOrigin(): string {
    return `http://${host}:${this.controlPort}`;
  }

  /** Starts to listen. 0 means any free port. */
  async open(port: number, controlPort: number): Promise<void> {
    this.apiPort = await listen(this.api, port);
    this.controlPort = await listen(this.control, controlPort);
  }

  /** Refuses connections to the API and drops open ones, for a time or until `accept`. */
  async refuse(ms?: number): Promise<void> {
    await close(this.api);
    clearTimeout(this.timer);
    if (ms !== undefined) this.timer = setTimeout(() => void this.accept(), ms);
  }

  /** Accepts connections again, on the same port. */
  async accept(): Promise<void> {
    clearTimeout(this.timer);
    if (!this.api.listening) await listen(this.api, this.apiPort);
  }

  /** Stops permanently. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await Promise.all([close(this.api), close(this.control)]);
  }
}
