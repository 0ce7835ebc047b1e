import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server listens: LISTEN_HOST and a port, 0 for a free one. */
export type ListenAt = { host: string | undefined; port: number };

/** Resolves with the port once it accepts connections. @throws when the port is in use */
export async function listenAt(server: Server, { host, port }: ListenAt): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host && { host }) }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Stops accepting, lets open requests end, and drops idle connections. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
