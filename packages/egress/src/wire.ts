import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createResponseHeads } from './responseHeads.ts';

/** What HTTP clients call on a connection, besides reading and writing. */
const delegated = ['setKeepAlive', 'setNoDelay', 'setTimeout', 'ref', 'unref'] as const;

/** A connection as an HTTP client reads it. `expectResponse` is called for each request, before it is sent. */
export type Wire = Duplex & Pick<Socket, (typeof delegated)[number]> & { expectResponse(): void };

/** The socket, with heads of responses that every client accepts. `readable` is also emitted for bytes that are dropped or held. */
export function wireOf(socket: Socket): Wire {
  const heads = createResponseHeads();
  const wire = new Duplex({
    allowHalfOpen: true,
    decodeStrings: false,
    read: () => void socket.resume(),
    write: (chunk, encoding, done) => void socket.write(chunk, encoding, done),
    writev(chunks, done) {
      socket.cork();
      const last = chunks.length - 1;
      chunks.forEach(({ chunk, encoding }, index) =>
        socket.write(chunk, encoding, index === last ? done : undefined),
      );
      socket.uncork();
    },
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  // Never removed: an error without a listener would end the process.
  wire.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    const taken = heads.take(chunk);
    if (taken === null) wire.emit('readable');
    else if (!wire.push(taken)) socket.pause();
  });
  socket.on('end', () => {
    const rest = heads.rest();
    if (rest !== null) wire.push(rest);
    wire.push(null);
  });
  socket.on('timeout', () => wire.emit('timeout'));
  socket.on('error', (error) => wire.destroy(error));
  socket.on('close', () => {
    // What arrived before the end may not be read yet.
    if (socket.readableEnded && !wire.readableEnded) wire.once('end', () => wire.destroy());
    else wire.destroy();
  });
  const calls = delegated.map((name) => [name, socket[name].bind(socket)]);
  return Object.assign(wire, Object.fromEntries(calls), { expectResponse: heads.expect });
}
