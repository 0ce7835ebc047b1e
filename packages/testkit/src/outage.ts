import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `gone`: connections break and are refused. `silent`: they stand, and nothing comes back. */
export type OutageKind = 'gone' | 'silent';

/** A way to a server that can be cut. */
export async function openBreakableWay(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let outage: OutageKind | null = null;
  const server = createServer((near) => {
    if (outage === 'gone') return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy() && sockets.delete(from));
      from.on('data', (bytes) => outage !== 'silent' && to.write(bytes));
    }
  });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    begin(kind: OutageKind) {
      outage = kind;
      if (kind === 'gone') cut();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
