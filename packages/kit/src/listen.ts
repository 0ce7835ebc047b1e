import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server listens: LISTEN_HOST and a port, 0 for a free one. */
export type ListenAt = { host: string | undefined; port: number };

const usuallyCloseWithinMs = 5000;

/** Resolves with the port once it accepts connections. @throws when the port is in use */
export async function listenAt(server: Server, { host, port }: ListenAt): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host && { host }) }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Stops accepting, drops idle connections, and lets open requests end, for so long; then drops what is left. Connections on
 * which nothing was ever sent are not idle to Node.js, and balancers open such beforehand.
 */
export function closeServer(server: Server, withinMs = usuallyCloseWithinMs): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cutOff);
      resolve();
    });
    server.closeIdleConnections();
  });
}
