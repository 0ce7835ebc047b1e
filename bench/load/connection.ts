import { connect } from 'node:net';

export type Answer = { status: number; body: string };

export type Connection = {
  /** Sends one request, head and all, and reads its answer. One at a time. */
  exchange(request: string): Promise<Answer>;
  /** False once the gateway has closed it, as it does with idle ones. */
  isOpen(): boolean;
};

/**
 * A kept connection to the gateway. It knows as little of HTTP as the gateway's answers need (a Content-Length each), for
 * what the load costs is missing in what is measured: a request takes it a third of what `node:http` does.
 */
export function openConnection(host: string, port: number): Connection {
  const socket = connect({ host, port, noDelay: true });
  let received = '';
  let waiting: PromiseWithResolvers<Answer> | null = null;

  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = null;
  };
  socket.setEncoding('latin1');
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the gateway closed the connection')));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const answer = readAnswer(received);
    if (!answer) return;
    received = '';
    waiting?.resolve(answer);
    waiting = null;
  });

  return {
    exchange(request) {
      waiting = Promise.withResolvers<Answer>();
      socket.write(request);
      return waiting.promise;
    },
    isOpen: () => socket.writable,
  };
}

/** Null as long as some of it is missing. */
function readAnswer(text: string): Answer | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1] ?? 0);
  if (text.length < headEnd + 4 + length) return null;
  return { status: Number(text.slice(9, 12)), body: text.slice(headEnd + 4, headEnd + 4 + length) };
}
