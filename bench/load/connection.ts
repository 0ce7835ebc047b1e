import { connect, type Socket } from 'node:net';
import { readMessage } from '../message.ts';

export type Answer = { status: number; body: string };

export type Connection = {
  exchange(request: string): Promise<Answer>;
};

type Exchange = PromiseWithResolvers<Answer> & { request: string; mayRepeat: boolean };

/**
 * A kept connection, dialled again after the gateway closed it. A request that crossed with the close is sent again:
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
      current = { ...Promise.withResolvers<Answer>(), request, mayRepeat: socket.writable };
      if (!socket.writable) socket = dial();
      socket.write(request);
      return current.promise;
    },
  };
}
