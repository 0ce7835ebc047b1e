import net, { type AddressInfo, type Socket } from 'node:net';

export type RawServer = {
  port: number;
  url: string;
  /** All that were ever accepted. */
  sockets: Socket[];
  /** What came, by socket. */
  received: string[];
  close(): Promise<void>;
};

/** A server below HTTP, for this package's tests: `onData` is called with what has come on a socket so far. */
export async function listenRaw(
  onData: (socket: Socket, received: string, number: number) => void = () => {},
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const server = net.createServer((socket) => {
    const number = sockets.push(socket) - 1;
    received[number] = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received[number] += String(chunk);
      onData(socket, received[number] ?? '', number);
    });
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, url: `http://127.0.0.1:${port}`, sockets, received, close };
}

/** Resolves once the socket is closed, at once where it is. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
