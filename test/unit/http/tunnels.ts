import { connect, type Socket } from "node:net";
import tls from "node:tls";
import { vi } from "vitest";
import { type RawRequest, type RawServer, startRawServer } from "./raw-server";

// A key that both sides know, so that TLS needs no certificate.
const psk = Buffer.alloc(16, 7);
const shared = { ciphers: "PSK", maxVersion: "TLSv1.2" } as const;

/** Lets clients of this test connect to `startTunnels` by TLS. */
export function trustTunnels(): void {
  const real = tls.connect;
  vi.spyOn(tls, "connect").mockImplementation(((options: tls.ConnectionOptions) =>
    real({
      ...options,
      ...shared,
      pskCallback: () => ({ psk, identity: "client" }),
      checkServerIdentity: () => undefined,
    })) as typeof tls.connect);
}

/** Decides what happens to a CONNECT. Without a decision, its tunnel ends in the service, which speaks TLS. */
export type Decide = (socket: Socket, request: RawRequest, n: number) => "tunnel" | "decided";

/** Starts an HTTP proxy. Its tunnels all lead to the given server. */
export function startTunnels(service: RawServer, decide: Decide = () => "tunnel"): Promise<RawServer> {
  return startRawServer((socket, request, n) => {
    if (decide(socket, request, n) === "decided") return;
    socket.removeAllListeners("data");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    const inside = new tls.TLSSocket(socket, { ...shared, isServer: true, ...{ pskCallback: () => psk } });
    const outside = connect(Number(new URL(service.baseUrl).port), "127.0.0.1");
    for (const each of [inside, outside]) each.on("error", () => socket.destroy());
    inside.pipe(outside).pipe(inside);
  });
}
