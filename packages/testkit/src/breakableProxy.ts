import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** `gone`: connections break and are refused. `silent`: they stay open without a response. */
export type OutageKind = 'gone' | 'silent';

export async function openBreakableProxy(target: string, bind = '127.0.0.1') {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let outage: OutageKind | null = null;
  let requestDelayMs = 0;
  const server = createServer({ noDelay: true }, (near) => {
    if (outage === 'gone') near.destroy();
    else join(near, connect({ port: Number(port), host: hostname, noDelay: true }));
  });
  function join(near: Socket, far: Socket): void {
    pipe(near, far, () => requestDelayMs);
    pipe(far, near, () => 0);
  }
  function pipe(from: Socket, to: Socket, delayMs: () => number): void {
    sockets.add(from);
    // A chain, so that bytes stay in order when the delay changes.
    let sent: Promise<unknown> | null = null;
    from.on('error', () => {});
    from.on('close', () => {
      to.destroy();
      sockets.delete(from);
    });
    from.on('data', (bytes) => {
      if (outage === 'silent') return;
      if (delayMs() > 0) sent = Promise.all([sent, delay(delayMs())]);
      if (sent === null) to.write(bytes);
      else sent = sent.then(() => to.write(bytes));
    });
  }
  const url = new URL(target);
  url.hostname = bind;
  await once(server.listen(0, bind), 'listening');
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
    /** Delays what clients send, so that a round trip is that much longer. */
    delayRequests(ms: number) {
      requestDelayMs = ms;
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
