import { connect, type Socket } from 'node:net';

export type Message = {
  head: string;
  body: string;
  length: number;
};

/** The first message, or null while it is incomplete. Knows only Content-Length, to cost little. */
export function readMessage(received: string): Message | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = received.slice(0, headEnd + 2);
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(/\r\ncontent-length: *(\d+)\r/i.exec(head)?.[1] ?? 0);
  return received.length < length ? null : { head, body: received.slice(bodyStart, length), length };
}

/** Serves a receiver's connection; `respond` writes the response, now or later. */
export function serveConnection(
  socket: Socket,
  respond: (message: Message, write: (response: string) => void) => void,
): void {
  let received = '';
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    received += chunk;
    for (let message = readMessage(received); message; message = readMessage(received)) {
      received = received.slice(message.length);
      respond(message, (response) => void (socket.writable && socket.write(response)));
    }
  });
}

export type Response = { status: number; body: string };

export type Connection = {
  exchange(request: string): Promise<Response>;
};

type Exchange = PromiseWithResolvers<Response> & { request: string; mayRepeat: boolean };

/**
 * A persistent connection, dialled again after the gateway closed it. A request that crossed with the close is sent again:
 * creates carry an idempotency key.
 */
export function openConnection(host: string, port: number): Connection {
  let received = '';
  let current: Exchange | null = null;
  let socket = dial();

  function dial(): Socket {
    const dialled = connect({ host, port, noDelay: true });
    let reason = 'the gateway closed the connection';
    dialled.setEncoding('latin1');
    dialled.on('data', read);
    dialled.on('error', (error) => {
      reason = error.message;
    });
    dialled.on('close', () => {
      if (socket === dialled && current) repeat(current, reason);
    });
    received = '';
    return dialled;
  }

  function read(chunk: string): void {
    received += chunk;
    const message = readMessage(received);
    if (!message) return;
    received = '';
    current?.resolve({ status: Number(message.head.slice(9, 12)), body: message.body });
    current = null;
  }

  function repeat(exchange: Exchange, reason: string): void {
    if (!exchange.mayRepeat || received !== '') return exchange.reject(new Error(reason));
    exchange.mayRepeat = false;
    socket = dial();
    socket.write(exchange.request);
  }

  return {
    exchange(request) {
      current = { ...Promise.withResolvers<Response>(), request, mayRepeat: socket.writable };
      if (!socket.writable) socket = dial();
      socket.write(request);
      return current.promise;
    },
  };
}
