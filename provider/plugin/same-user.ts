import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

/** The connections of this machine. An IPv4 client can use an IPv6 socket. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** The only address that the plugin listens on, and that the engine connects from. */
const HERE = "127.0.0.1";

/** How often a connection that is not in the tables is looked up. */
const ATTEMPTS = 2;

type Connection = readonly string[];

const [LOCAL, REMOTE, USER, INODE] = [1, 2, 7, 9] as const;

/**
 * Whether a process of the same user is at the other end of a connection to 127.0.0.1. Any local user can connect, but
 * only those of the same user may use the credential of this process. True where the system does not tell.
 */
export async function isSameUser({ localPort = 0, remotePort = 0, remoteAddress }: Socket): Promise<boolean> {
  const user = process.geteuid?.();
  if (process.platform !== "linux" || user === undefined) return true;
  for (let attempt = 1; ; attempt++) {
    const texts = await Promise.all(TABLES.map((table) => readFile(table, "utf8").catch(() => "")));
    const rows = texts.flatMap((text) => text.split("\n").slice(1)).map((row) => row.trim().split(/\s+/));
    // The server's own sockets prove that the table has users. Some sandboxes have no table, or one without users.
    const isOurs = (row: Connection) => isAt(row[LOCAL], localPort) && Number(row[USER]) === user;
    if (!rows.some(isOurs)) return true;
    // This machine has other addresses, at which another user can have the port that the engine has at this one.
    if (remoteAddress !== HERE) return false;
    const other = userOf(rows, remotePort, localPort);
    // The system does not write the table at one moment, so a connection can be missing in it.
    if (other !== undefined || attempt === ATTEMPTS) return other === user;
  }
}

/** The user of the socket at one end of a connection; `undefined` if no process has it. */
function userOf(connections: readonly Connection[], local: number, remote: number): number | undefined {
  const found = connections.find((row) => isAt(row[LOCAL], local) && isAt(row[REMOTE], remote));
  // A socket that its process has closed has no inode.
  return found === undefined || found[INODE] === "0" ? undefined : Number(found[USER]);
}

/** Whether an end of a connection is 127.0.0.1 with a port, as the tables show it: both in hex. */
function isAt(end: string | undefined, port: number): boolean {
  return end?.endsWith(`0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`) ?? false;
}
