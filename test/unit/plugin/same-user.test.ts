import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isSameUser } from "../../../provider/plugin/same-user";

const servers: Server[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

/** Both ends of a connection. */
async function connected(host = "127.0.0.1"): Promise<{ client: Socket; accepted: Socket }> {
  const server = createServer();
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return connectedTo(server, { host });
}

async function connectedTo(
  server: Server,
  from: { host: string; localAddress?: string; localPort?: number | undefined },
): Promise<{ client: Socket; accepted: Socket }> {
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, ...from }).on("error", () => {});
  const [accepted] = (await once(server, "connection")) as [Socket];
  accepted.on("error", () => {});
  return { client, accepted };
}

describe.runIf(process.platform === "linux")("the process at the other end of a connection", () => {
  it.each(["127.0.0.1", "::ffff:127.0.0.1"])("is of the same user if it is this one, connected to %s", async (host) => {
    const { client, accepted } = await connected(host);
    expect(await isSameUser(accepted)).toBe(true);
    client.destroy();
  });

  it("is nobody if it has sent its request and closed the connection", async () => {
    const { client, accepted } = await connected();
    client.end("a request");
    client.destroy();
    await expect.poll(() => isSameUser(accepted), { timeout: 10_000 }).toBe(false);
    accepted.destroy();
  });

  it("is not the engine if only its port is the engine's, and its address another one of this machine", async () => {
    const { client: engine, accepted } = await connected();
    const [server] = servers as [Server];
    const from = { host: "127.0.0.1", localAddress: "127.0.0.2", localPort: engine.localPort };
    const other = await connectedTo(server, from);
    expect([await isSameUser(accepted), await isSameUser(other.accepted)]).toEqual([true, false]);
    for (const socket of [engine, other.client]) socket.destroy();
  });
});

it("counts as one of the same user where the system does not tell", async () => {
  const { client, accepted } = await connected();
  // As if the table showed another user for this process's own sockets, too.
  vi.spyOn(process, "geteuid").mockReturnValue(4_294_967);
  expect(await isSameUser(accepted)).toBe(true);
  vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
  expect(await isSameUser(accepted)).toBe(true);
  client.destroy();
});
