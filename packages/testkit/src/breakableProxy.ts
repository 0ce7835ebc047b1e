import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** `gone`: connections break and are refused. `silent`: they stay open without a response. */
export type OutageKind = 'gone' | 'silent';

export async function openBreakableProxy(target: string) {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let outage: OutageKind | null = null;
  const server = createServer((near) => {
    if (outage === 'gone') near.destroy();
    else join(near, connect(Number(port), hostname));
  });
  function join(near: Socket, far: Socket): void {
    pipe(near, far);
    pipe(far, near);
  }
  function pipe(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('error', () => {});
    from.on('close', () => {
      to.destroy();
      sockets.delete(from);
    });
    from.on('data', (bytes) => {
      if (outage !== 'silent') to.write(bytes);
    });
  }
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
    end() {
      outage = null;
    },
    /** For new connections; open ones stay. */
    lead(to: string) {
      ({ hostname, port } = new URL(to));
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
