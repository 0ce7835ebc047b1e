import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { cert, key } from './testCertificate.ts';

export type ProxyServer = {
  port: number;
  /** What was asked: `CONNECT 127.0.0.1:443`. */
  asked: string[];
  /** `Proxy-Authorization` of each. */
  credentials: (string | undefined)[];
  /** Connections to it that are open. */
  open(): number;
  close(): Promise<void>;
};

type Answer = (socket: Socket, authority: string) => void;

/** A CONNECT proxy for this package's tests: it opens the tunnel unless told to answer otherwise. */
export async function listenProxy(answer: Answer = tunnel, isTls = false): Promise<ProxyServer> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = isTls ? https.createServer({ key, cert }) : http.createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('request', (req, res) => {
    asked.push(`${req.method} ${req.url}`);
    res.writeHead(405).end();
  });
  server.on('connect', (req: http.IncomingMessage, socket: Socket) => {
    asked.push(`CONNECT ${req.url}`);
    credentials.push(req.headers['proxy-authorization']);
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    answer(socket, req.url ?? '');
    if (answer !== tunnel) socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port, asked, credentials, open: () => sockets.size, close };
}

/** Names lead to loopback, too. */
export function tunnel(socket: Socket, authority: string): void {
  const target = net.connect(Number(authority.split(':').at(-1)), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.pipe(socket).pipe(target);
  });
  target.on('error', () => socket.destroy());
  socket.on('close', () => target.destroy());
}
